"""Reads a database that is in use: all of it as of one moment, and without the right to change anything."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything that is read inside is of the same moment; whatever would write is refused by the database.

    Why: between two statements a busy service moves on, and what is only half seen looks broken.
    """
    if connection.in_atomic_block:
        yield  # a test, whose own transaction is that moment
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL statement_timeout = 0")
            yield
    else:
        yield from _sqlite_moment()


def _sqlite_moment() -> Iterator[None]:
    """Why not ``atomic``: there every transaction of this service takes the write lock at once."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = ON")
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
            cursor.execute("PRAGMA query_only = OFF")
