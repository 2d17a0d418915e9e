"""Lets tests that commit clean up after themselves: the audits' triggers step aside while their tables are emptied.

Why on SQLite alone: it empties tables line by line, which the triggers refuse; PostgreSQL truncates.
"""

from importlib import import_module
from typing import Any

from django.db import connection
from django.test import TransactionTestCase

from core.append_only import no_triggers, triggers

AUDIT_OF_CHANGES = "merchants_change"
_flush: Any = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]  # the one place that flushes


def triggers_laid() -> list[str]:
    """What lays the triggers of every audit on SQLite."""
    return [*import_module("mcp.migrations.0005_append_only_audit").SQLITE, *triggers(AUDIT_OF_CHANGES)["sqlite"]]


def triggers_lifted() -> list[str]:
    """What takes them away."""
    agents = import_module("mcp.migrations.0005_append_only_audit").UNDO["sqlite"]
    return [*agents, *no_triggers(AUDIT_OF_CHANGES)["sqlite"]]


def _flush_everything(case: TransactionTestCase) -> None:
    if connection.vendor != "sqlite":
        _flush(case)
        return
    _run(triggers_lifted())
    _flush(case)
    _run(triggers_laid())


def _run(statements: list[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


TransactionTestCase._fixture_teardown = _flush_everything  # type: ignore[attr-defined]  # as above
