"""``manage.py write_structure``: the tables of a new embedded database as one file, from what the migrations make."""

import sqlite3
from argparse import ArgumentParser
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.management.commands import migrate
from django.db import connection

from config.structure import STRUCTURE, dumped


class Command(BaseCommand):
    """Migrates from nothing and writes down what that made. Run by ``make structure``, on an empty folder."""

    help = "Write config/structure.sql from the migrations."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to write."""
        parser.add_argument("--file", type=Path, default=STRUCTURE, help="another file to write")

    def handle(self, *_: object, **options: Any) -> None:
        """Migrate and write. Raises: CommandError where there are tables already."""
        if not settings.EMBEDDED or connection.introspection.table_names():
            raise CommandError("write_structure needs an embedded database that is still empty: make structure")
        call_command(migrate.Command(), verbosity=0, interactive=False)
        connection.close()
        with closing(sqlite3.connect(str(settings.DATABASES["default"]["NAME"]))) as database:
            options["file"].write_text("".join(dumped(database)))
