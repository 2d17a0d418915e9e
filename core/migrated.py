"""Whether the tables are those that this program was written for."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

_known: set[str] = set()
"""Filled once nothing was missing."""


def missing_migrations() -> tuple[str, ...]:
    """The migrations that are not applied; asked of the database until there are none. Raises: django.db.Error.

    Why by their names: reading them all, as Django's executor does, takes half a second and megabytes in every process.
    """
    if connection.alias in _known:
        return ()
    missing = sorted(set(_written()) - set(MigrationRecorder(connection).applied_migrations()))
    if not missing:
        _known.add(connection.alias)
    return tuple(f"{app}.{name}" for app, name in missing)


def _written() -> Iterator[tuple[str, str]]:
    for config in apps.get_app_configs():
        module, _ = MigrationLoader.migrations_module(config.label)
        try:
            package = import_module(module or "")
        except (ModuleNotFoundError, ValueError):  # an app without tables
            continue
        yield from ((config.label, found.name) for found in iter_modules(package.__path__) if found.name[0] not in "_~")


def refuse_unmigrated() -> None:
    """Stop a process whose tables are of another version. Raises: SystemExit with what to do."""
    missing = missing_migrations()
    if missing:
        raise SystemExit(
            f"{len(missing)} migrations are not applied, the first is {missing[0]}. Run manage.py migrate."
        )
