"""Gives a table with rows in it another index while the service goes on."""

from typing import Any

from django.db import migrations


class AddIndexMeanwhile(migrations.AddIndex):
    """An index that PostgreSQL makes while rows are read and written; its migration is not ``atomic``.

    What an interrupted try left is taken away first. Locks: none that a reader or writer waits for.
    Source: https://www.postgresql.org/docs/15/sql-createindex.html, Building Indexes Concurrently.
    """

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it."""
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        name = schema_editor.quote_name(self.index.name)
        # Why no time limit: an index of a large table takes as long as it takes, and nobody waits for it.
        schema_editor.execute("SET statement_timeout = 0")
        schema_editor.execute("SET lock_timeout = 0")
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        schema_editor.execute(self.index.create_sql(model, schema_editor, concurrently=True), params=None)
        schema_editor.execute("RESET statement_timeout")
        schema_editor.execute("RESET lock_timeout")
