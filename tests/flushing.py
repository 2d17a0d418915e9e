"""Lets tests that commit clean up after themselves: the audit's triggers step aside while their tables are emptied.

Why on SQLite alone: it empties tables line by line, which the triggers refuse; PostgreSQL truncates.
"""

from importlib import import_module
from typing import Any

from django.db import connection
from django.test import TransactionTestCase

_flush: Any = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]  # the one place that flushes


def _flush_everything(case: TransactionTestCase) -> None:
    laid = import_module("mcp.migrations.0005_append_only_audit")
    if connection.vendor != "sqlite":
        _flush(case)
        return
    with connection.cursor() as cursor:
        for statement in laid.UNDO["sqlite"]:
            cursor.execute(statement)
    _flush(case)
    with connection.cursor() as cursor:
        for statement in laid.SQLITE:
            cursor.execute(statement)


TransactionTestCase._fixture_teardown = _flush_everything  # type: ignore[attr-defined]  # as above
