"""Reads rows of several tables as they were at one moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Let all that is read inside belong to one moment; inside an open transaction it changes nothing.

    Why: what is committed between two questions would make one answer contradict itself. Nothing may be written
    inside: another's change would refuse it. On SQLite every transaction is of one moment.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield
