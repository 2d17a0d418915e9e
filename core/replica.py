"""Reads from a standby where one is named, for work that reads much and may be a little behind.

Source: docs/operators.md, Reads from a standby.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS

REPLICA: Final = "replica"
_chosen: ContextVar[str] = ContextVar("database_of_reads", default=DEFAULT_DB_ALIAS)


class ReadsAsChosen:
    """Leads reads to the database that ``reading_from`` named, and every write to the default."""

    def db_for_read(self, model: type[Any], **_hints: object) -> str:
        """Where rows are read."""
        return _chosen.get()

    def db_for_write(self, model: type[Any], **_hints: object) -> str:
        """Where rows are written, and locked."""
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Any, other: Any, **_hints: object) -> bool:
        """Both hold the same rows, so a row of one may be beside a row of the other."""
        return True

    def allow_migrate(self, db: str, app_label: str, **_hints: object) -> bool:
        """Tables are changed where rows are written."""
        return db == DEFAULT_DB_ALIAS


def chosen_database() -> str:
    """The name of the database that is read from at this moment."""
    return _chosen.get()


@contextmanager
def reading_from(database: str) -> Iterator[None]:
    """Read from this database inside; what names another one by itself is not affected."""
    before = _chosen.set(database)
    try:
        yield
    finally:
        _chosen.reset(before)
