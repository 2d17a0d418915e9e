"""``manage.py migrate``: Django's own, in short tries, and with all tables of a new embedded database at once."""

from functools import partial
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.patient import migrate_patiently
from config.structure import is_new, lay_tables

ASKS_LESS = ("app_label", "migration_name", "plan", "check_unapplied", "fake", "fake_initial")
"""Options of whoever wants something else than the newest tables."""


ONLY_LOOKS = ("plan", "check_unapplied")


class Command(migrate.Command):
    """Brings the tables up to date; a new SQLite database gets most of them at once."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate. Raises: CommandError where a release was left out, or a table stays in use."""
        connection = connections[options["database"]]
        _refuse_half_a_history(connection)
        if not any(options.get(name) for name in ASKS_LESS) and is_new(connection):
            lay_tables(connection)
        only_looks = any(options.get(name) for name in ONLY_LOOKS)
        if connection.vendor != "postgresql" or only_looks or connection.in_atomic_block:
            super().handle(*arguments, **options)
            return
        run = partial(super().handle, *arguments, **options)
        migrate_patiently(connection, run, lambda line: self.stdout.write(f"\n{line}"))


def _refuse_half_a_history(connection: BaseDatabaseWrapper) -> None:
    """Why asked first: Django fails with a traceback, or leaves an app without its newest tables and says nothing."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    known, applied = loader.disk_migrations, MigrationRecorder(connection).applied_migrations()
    for (app, _), migration in known.items():
        gone = [old for old in migration.replaces if old not in known]
        has = [old in applied for old in gone]
        if any(has) and not all(has):
            raise CommandError(
                f"This database has only some of the migrations of {app} that this release has put together. "
                "Migrate it with the release before this one first, then with this one."
            )
