"""Somebody who reads a table in a transaction that stays open: whoever needs the table to itself has to wait for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection


@contextmanager
def reading(table: str) -> Iterator[Callable[[], None]]:
    """Read a table on a connection of its own; what is yielded ends that."""
    reader: Any = connection.copy()
    reader.set_autocommit(False)
    with reader.cursor() as cursor:
        cursor.execute(f"SELECT FROM {table} LIMIT 1")
    try:
        yield reader.rollback
    finally:
        reader.close()


class Pauses:
    """Stands for the module ``time`` of what rests between tries: each pause passes at once, and is counted.

    ``meanwhile`` is done in each; after so many pauses ``at_last`` is done, once.
    """

    def __init__(self, count: int, at_last: Callable[[], None], meanwhile: Callable[[], object] = lambda: None) -> None:
        self.left, self._at_last, self._meanwhile = count, at_last, meanwhile
        self.seconds: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self._meanwhile()
        self.left -= 1
        if not self.left:
            self._at_last()

    def planted(self, monkeypatch: pytest.MonkeyPatch) -> "Pauses":
        """The same, where migrations look for it."""
        monkeypatch.setattr("core.migrating.time", self)
        return self
