"""Reads a database that is in use: all of it as of one moment, however long that takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from core.snapshot import one_moment


@contextmanager
def one_long_moment() -> Iterator[None]:
    """``one_moment`` without the limit that statements have elsewhere."""
    with one_moment():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout = 0")
        yield
