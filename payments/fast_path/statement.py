"""What is asked of the database, in one statement, and what its answer means."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from core.fast_answer import FastAnswer

Row = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One statement, a transaction by itself. ``read``: the answer that its row is; None where the views must say."""

    text: str
    values: Mapping[str, Any]
    read: Callable[[Row | None], FastAnswer | None]


def first_row(statement: Statement) -> Row | None:
    """Ask on this thread's own connection, and wait."""
    with connection.cursor() as cursor:
        cursor.execute(statement.text, statement.values)
        found: Row | None = cursor.fetchone()
    return found
