"""Whether the tables are those that this program was written for."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.conf import settings
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


def unknown_migrations() -> tuple[str, ...]:
    """Those of ours that are applied and that this program does not know: a newer one made them.

    Raises: django.db.Error. Why of ours alone: a library may put its old ones together, and takes them away.
    """
    own = {config.label for config in apps.get_app_configs() if Path(config.path).parent == settings.BASE_DIR}
    applied = {one for one in MigrationRecorder(connection).applied_migrations() if one[0] in own}
    unknown = applied - set(_written())
    if unknown:  # those that others were put together from are known as well, and take long to be read
        loader = MigrationLoader(None, load=False)
        loader.load_disk()
        unknown -= {old for migration in loader.disk_migrations.values() for old in migration.replaces}
    return tuple(f"{app}.{name}" for app, name in sorted(unknown))


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
