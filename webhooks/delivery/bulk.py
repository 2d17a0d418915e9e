"""Inserts many rows of one table at the price of one statement, without building a model for each.

Why not ``bulk_create``: preparing every value of every row by itself takes longer than sending the webhook.
"""

from collections.abc import Mapping, Sequence
from typing import Any

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
    fields = [_column(model, name) for name in (*names, *shared)]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    types = [field.db_type(connection) for field in fields]
    arrays = ", ".join(f"%s::{kind}[]" for kind in types[: len(names)])
    equal = "".join(f", %s::{kind}" for kind in types[len(names) :])
    values = [
        [orjson.dumps(value).decode() for value in values] if kind == "jsonb" else list(values)
        for values, kind in zip(zip(*rows, strict=True), types, strict=False)
    ]
    table = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({columns}) SELECT row.*{equal} FROM unnest({arrays}) AS row ON CONFLICT DO NOTHING",  # noqa: S608 - names of our own columns only
            [*shared.values(), *values],
        )


def _column(model: type[models.Model], name: str) -> "models.Field[Any, Any]":
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)  # noqa: S101 - tells the type checker; relations are not named here
    return field
