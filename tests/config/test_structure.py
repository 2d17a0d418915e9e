"""config/structure.sql is what the migrations make. Here alone a test migrates from nothing."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.structure import STRUCTURE
from tests.journeys.programs import DATABASE, clean_environment, run_to_end
from tests.templates import sqlite_template

OF_DJANGO = (
    "SELECT app_label, model FROM django_content_type ORDER BY 1, 2",
    "SELECT app_label, model, codename, name FROM auth_permission"
    " JOIN django_content_type AS kind ON kind.id = content_type_id ORDER BY 1, 2, 3",
)
"""What is not in the file, because ``migrate`` puts it in afterwards."""


def rows(path: Path) -> list[list[tuple[str, ...]]]:
    """What Django puts into a database by itself."""
    with closing(sqlite3.connect(path)) as database:
        return [database.execute(query).fetchall() for query in OF_DJANGO]


@pytest.mark.embedded
def test_it_is_what_the_migrations_make(tmp_path: Path) -> None:
    written = tmp_path / "structure.sql"
    command = (sys.executable, "manage.py", "write_structure", "--file", str(written))
    run_to_end(command, clean_environment(LOCAL_DIR=str(tmp_path)))
    assert written.read_text() == STRUCTURE.read_text(), "make structure"
    assert rows(tmp_path / DATABASE) == rows(sqlite_template())


@pytest.mark.django_db
def test_a_database_that_left_a_release_out_is_told_so() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("refunds", "0006_keys_of_each_maker")
    recorder.record_unapplied("refunds", "0001_tables")
    before = recorder.applied_migrations().keys()
    with pytest.raises(CommandError) as refusal:
        call_command("migrate", verbosity=0)
    assert str(refusal.value) == (
        "This database has only some of the migrations of refunds that this release has put together. "
        "Migrate it with the release before this one first, then with this one."
    )
    assert recorder.applied_migrations().keys() == before
