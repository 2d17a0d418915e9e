"""Reads rows of several tables as they were at one moment, while the service goes on."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction

from core.replica import chosen_database


@contextmanager
def one_moment() -> Iterator[None]:
    """All that is read inside belongs to one moment; whatever would write is refused by the database.

    Of the database that is read from (``core.replica``). Why: what is committed between two questions would make one
    answer contradict itself. Inside an open transaction it changes nothing: that has its own rules.
    """
    alias = chosen_database()
    connection = connections[alias]
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(using=alias), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        # Why not ``atomic``: on SQLite every transaction of this service takes the write lock at once.
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = ON")
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
                cursor.execute("PRAGMA query_only = OFF")
