"""Several questions to the database in one statement.

Why not subqueries of the framework: it copies and renames each query first, which takes longer than the answers do.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import QuerySet
from django.db.models.sql import Query

from core.replica import chosen_database

Part = tuple[str, tuple[Any, ...]]


def count_each(asked: Iterable[QuerySet[Any]], most: int | None = None) -> list[int]:
    """How many rows each finds, at most so many."""
    queries = [rows.order_by().values("pk")[:most].query for rows in asked]
    return _answers([_part("(SELECT COUNT(*) FROM ({}) AS counted)", query) for query in queries])


def any_of_each(asked: Iterable[QuerySet[Any]]) -> list[bool]:
    """Whether each finds a row."""
    return [bool(found) for found in _answers([_part("EXISTS ({})", rows.query.exists()) for rows in asked])]


def _part(form: str, query: Query) -> Part:
    try:
        sql, parameters = query.get_compiler(using=chosen_database()).as_sql()
    except EmptyResultSet:
        return "0", ()
    return form.format(sql), tuple(parameters)


def _answers(parts: Sequence[Part]) -> list[Any]:
    if not parts:
        return []
    with connections[chosen_database()].cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(sql for sql, _ in parts)}", [one for _, given in parts for one in given])
        return list(cursor.fetchone())
