"""Gives a table with rows in it another index while the service goes on."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.db import migrations

from core.migrating import in_short_tries

_IS_PARTITIONED = "SELECT relkind = 'p' FROM pg_class WHERE oid = %s::regclass"
_WITHOUT = """
SELECT part.relname, part.oid FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
WHERE inhparent = %s::regclass AND NOT EXISTS (
    SELECT FROM pg_index JOIN pg_inherits AS attached ON attached.inhrelid = pg_index.indexrelid
    WHERE pg_index.indrelid = part.oid AND attached.inhparent = %s::regclass)
ORDER BY part.relname
"""
_ROUNDS = 20
"""Why more than one: a partition may be made meanwhile. It brings the index with it, or is found by the next look."""


class AddIndexMeanwhile(migrations.AddIndex):
    """An index that PostgreSQL makes while rows are read and written; its migration is not ``atomic``.

    What an interrupted try left is taken away first. On a table of partitions it is made on each of them, one after the
    other, and what was done is kept. Locks: none that a reader or writer waits for; of partitions, in short tries.
    Source: https://www.postgresql.org/docs/15/sql-createindex.html, Building Indexes Concurrently;
    https://www.postgresql.org/docs/15/ddl-partitioning.html, Partition Maintenance.
    """

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        # Why no time limit: an index of a large table takes as long as it takes, and nobody waits for it.
        schema_editor.execute("SET statement_timeout = 0")
        schema_editor.execute("SET lock_timeout = 0")
        if _asked(schema_editor, _IS_PARTITIONED, model._meta.db_table)[0][0]:
            _over_partitions(self.index, model, schema_editor)
        else:
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}")
            schema_editor.execute(self.index.create_sql(model, schema_editor, concurrently=True), params=None)
        schema_editor.execute("RESET statement_timeout")
        schema_editor.execute("RESET lock_timeout")


def _over_partitions(index: Any, model: Any, editor: Any) -> None:
    """First the index of the whole, which is not valid yet and which new partitions follow; then each that lacks it."""
    table = model._meta.db_table
    whole = index.create_sql(model, editor)
    whole.parts["table"] = f"ONLY {editor.quote_name(table)}"
    statement = str(whole).replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS", 1)
    in_short_tries(editor.connection, _run(editor, statement))
    for part, number in _without(editor, table, index.name):
        name = f"{index.name}_{number}"
        editor.execute("SET lock_timeout = 0")
        editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {editor.quote_name(name)}")
        own = index.create_sql(model, editor, concurrently=True)
        own.parts["table"], own.parts["name"] = editor.quote_name(part), editor.quote_name(name)
        editor.execute(own, params=None)
        attach = f"ALTER INDEX {editor.quote_name(index.name)} ATTACH PARTITION {editor.quote_name(name)}"
        in_short_tries(editor.connection, _run(editor, attach))
    editor.execute("SET lock_timeout = 0")


def _without(editor: Any, table: str, name: str) -> Iterator[tuple[str, int]]:
    """The partitions that do not have the index, asked again until there is none."""
    for _ in range(_ROUNDS):
        parts = _asked(editor, _WITHOUT, table, name)
        yield from parts
        if not parts:
            return


def _run(editor: Any, statement: str) -> Callable[[], object]:
    return partial(editor.execute, statement, params=None)


def _asked(editor: Any, question: str, *values: Any) -> list[Any]:
    with editor.connection.cursor() as cursor:
        cursor.execute(question, values)
        found: list[Any] = cursor.fetchall()
        return found
