"""What stands in the tables, whole: for "nothing was changed" and "no event was written"."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import connection, models

WATCHED_APPS = ("chains", "checkout", "payments", "payouts", "refunds", "webhooks")
ALSO_WATCHED = ("merchants.IdempotencyRecord", "merchants.Merchant")

Rows = dict[str, list[dict[str, Any]]]


def all_rows() -> Rows:
    """Every row of every table that a refused request must leave alone, by table."""
    watched = [model for app in WATCHED_APPS for model in apps.get_app_config(app).get_models()]
    return rows_of([*watched, *(apps.get_model(name) for name in ALSO_WATCHED)])


def rows_of(tables: Iterable[type[models.Model]]) -> Rows:
    """Every row of these tables as the database holds it, by table.

    Why not through the models: thousands of tests look twice each, and making forty questions takes longer than the
    answers. PostgreSQL is asked all of them at once.
    """
    questions = {model._meta.label: _question(model) for model in tables}
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            return {label: _answer(cursor.execute(question)) for label, question in questions.items()}
        cursor.execute("; ".join(questions.values()))
        found = {}
        for label in questions:
            found[label] = _answer(cursor)
            cursor.nextset()
    return found


def _question(model: type[models.Model]) -> str:
    table = connection.ops.quote_name(model._meta.db_table)
    return f"SELECT * FROM {table} ORDER BY {connection.ops.quote_name(model._meta.pk.attname)}"  # noqa: S608 - our own


def _answer(cursor: Any) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
