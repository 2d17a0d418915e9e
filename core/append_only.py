"""Tables that only grow: audits, whose lines nobody changes or removes, neither the program nor who holds its login.

Refused in Python, clearly and early, and by triggers in the database, for whatever goes around Python.
"""

from collections.abc import Callable
from typing import Any

from django.db import models


class AppendOnlyError(RuntimeError):
    """Somebody tried to change or remove a line of an audit: a fault of the program, never of a caller."""


class GrowsOnly:
    """Mixin of querysets: lines can be read and added. Named before the queryset class."""

    def update(self, **fields: Any) -> int:
        """Refuse. Raises: AppendOnlyError."""
        raise AppendOnlyError("lines of an audit are never changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        """Refuse. Raises: AppendOnlyError."""
        raise AppendOnlyError("lines of an audit are never removed")


class AppendOnlyModel(models.Model):
    """One line. Its migration lays triggers: see ``laying`` and ``lifting``."""

    class Meta:
        abstract = True

    def save(self, *arguments: Any, **options: Any) -> None:
        """Add the line. Raises: AppendOnlyError where it is there already."""
        if not self._state.adding:
            raise AppendOnlyError("lines of an audit are never changed")
        super().save(*arguments, **options)

    def delete(self, *arguments: Any, **options: Any) -> tuple[int, dict[str, int]]:
        """Refuse. Raises: AppendOnlyError."""
        raise AppendOnlyError("lines of an audit are never removed")


Step = Callable[[Any, Any], None]
"""What ``RunPython`` runs."""


def laying(table: str) -> Step:
    """Lay the triggers that refuse to change or remove a line of this table."""
    return lambda apps, editor: _run(editor, triggers(table))


def lifting(table: str) -> Step:
    """Take them away again."""
    return lambda apps, editor: _run(editor, no_triggers(table))


def _run(editor: Any, statements: dict[str, list[str]]) -> None:
    for statement in statements[editor.connection.vendor]:
        editor.execute(statement)


def triggers(table: str) -> dict[str, list[str]]:
    """The statements that lay a table's triggers, by database."""
    refusal = f"{table} is append-only"
    function = f"""CREATE FUNCTION {table}_refuses() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '{refusal}' USING ERRCODE = 'integrity_constraint_violation'; END $$"""
    return {
        "sqlite": [
            f"CREATE TRIGGER {table}_keeps_{verb} BEFORE {verb} ON {table} BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
            for verb in ("update", "delete")
        ],
        "postgresql": [
            function,
            f"CREATE TRIGGER {table}_keeps BEFORE UPDATE OR DELETE ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION {table}_refuses()",
        ],
    }


def holding_whole(table: str) -> Step:
    """Lay the trigger that refuses to empty this table at once. SQLite has no such statement."""
    function = f"""CREATE FUNCTION {table}_stays() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '{table} is append-only' USING ERRCODE = 'integrity_constraint_violation'; END $$"""
    trigger = f"CREATE TRIGGER {table}_keeps_all BEFORE TRUNCATE ON {table} EXECUTE FUNCTION {table}_stays()"
    return lambda apps, editor: _run(editor, {"sqlite": [], "postgresql": [function, trigger]})


def letting_empty(table: str) -> Step:
    """Take it away again."""
    undo = [f"DROP TRIGGER {table}_keeps_all ON {table}", f"DROP FUNCTION {table}_stays()"]
    return lambda apps, editor: _run(editor, {"sqlite": [], "postgresql": undo})


def no_triggers(table: str) -> dict[str, list[str]]:
    """The statements that take them away, by database."""
    return {
        "sqlite": [f"DROP TRIGGER {table}_keeps_{verb}" for verb in ("update", "delete")],
        "postgresql": [f"DROP TRIGGER {table}_keeps ON {table}", f"DROP FUNCTION {table}_refuses()"],
    }
