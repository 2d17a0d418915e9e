"""Whether the tables are those that this program was written for."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

_known: set[str] = set()
"""Filled once nothing was missing. Why kept: reading every migration takes half a second."""


def missing_migrations() -> tuple[str, ...]:
    """The migrations that are not applied; asked of the database until there are none. Raises: django.db.Error."""
    if connection.alias in _known:
        return ()
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        _known.add(connection.alias)
    return tuple(str(migration) for migration, _ in plan)


def refuse_unmigrated() -> None:
    """Stop a process whose tables are of another version. Raises: SystemExit with what to do."""
    missing = missing_migrations()
    if missing:
        raise SystemExit(
            f"{len(missing)} migrations are not applied, the first is {missing[0]}. Run manage.py migrate."
        )
