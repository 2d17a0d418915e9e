"""Inserts many rows of one table at the price of one statement, without building a model for each.

Why not ``bulk_create``: preparing every value of every row by itself takes longer than sending the webhook. Why as one
JSON document: it is written in C, and PostgreSQL reads it while nothing of ours is waited for; arrays of the driver's
took twice as long.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

import orjson
from django.db import connection, models


def insert_rows(
    model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]], shared: Mapping[str, Any]
) -> None:
    """Insert rows given as tuples of ``names``; ``shared`` are columns that are equal in all of them.

    Rows that exist already are passed over, and nothing is told about which. JSON columns take plain objects.
    """
    if not rows:
        return
    if connection.vendor != "postgresql":
        made = [model(**shared, **dict(zip(names, row, strict=True))) for row in rows]
        model._default_manager.bulk_create(made, ignore_conflicts=True)
        return
    document = orjson.dumps([dict(zip(names, row, strict=True)) for row in rows]).decode()
    with connection.cursor() as cursor:
        cursor.execute(_statement(model, tuple(names), tuple(shared)), [*shared.values(), document])


@cache
def _statement(model: type[models.Model], names: tuple[str, ...], shared: tuple[str, ...]) -> str:
    quote = connection.ops.quote_name
    # The cast is for the type checker: relations are not named here.
    fields = [cast("models.Field[Any, Any]", model._meta.get_field(name)) for name in (*names, *shared)]
    columns = ", ".join(quote(str(field.column)) for field in fields)
    kinds = [field.db_type(connection) for field in fields]
    typed = ", ".join(f"{quote(name)} {kind}" for name, kind in zip(names, kinds, strict=False))
    equal = "".join(f", %s::{kind}" for kind in kinds[len(names) :])
    table = quote(model._meta.db_table)
    return (
        f"INSERT INTO {table} ({columns}) SELECT given.*{equal} FROM json_to_recordset(%s::json) AS given ({typed})"  # noqa: S608 - names of our own columns only
        " ON CONFLICT DO NOTHING"
    )
