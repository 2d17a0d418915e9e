"""Databases: what the migrations make is what is written down and copied, and each belongs to one network for ever."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings

from chains.models import NetworkProfile
from config.network_profile import fix_network_profile, foreign_profile, refuse_foreign_network
from config.structure import STRUCTURE
from merchants.models import Change, Merchant
from merchants.services import create_merchant
from tests.journeys.programs import DATABASE, clean_environment, run_to_end
from tests.tables import put_back
from tests.templates import LOADED, fingerprint, sqlite_template
from tokens.models import Token

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


COME_LOADED = (Token, NetworkProfile, ContentType, Permission)


def loaded() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in COME_LOADED]


@pytest.mark.django_db
def test_a_copy_has_every_migration() -> None:
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    assert all(loaded())


@pytest.mark.django_db(transaction=True)
def test_what_a_test_commits_is_taken_back_and_what_it_removes_is_put_back() -> None:
    fresh = loaded()
    create_merchant("Corner Shop", "owner@shop.example", "correct horse battery")
    line = {"merchant_id": 1, "actor": "key:test", "action": "key.rolled"}
    Change.objects.create(**line)
    Token.objects.all().delete()

    put_back()

    assert (Merchant.objects.count(), Change.objects.count()) == (0, 0)
    assert loaded() == fresh
    Change.objects.create(**line)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM merchants_change")


def test_what_makes_the_tables_names_their_template(tmp_path: Path) -> None:
    (tmp_path / "shop" / "migrations").mkdir(parents=True)
    first = tmp_path / "shop" / "migrations" / "0001_initial.py"
    files = (first, *(tmp_path / name for name in LOADED))
    names = []
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("as it was")
    for file in files:
        names.append(fingerprint(tmp_path))
        file.write_text("changed")
    names.append(fingerprint(tmp_path))
    first.rename(first.with_name("0001_tables.py"))
    names.append(fingerprint(tmp_path))
    assert len(set(names)) == len(files) + 2


@pytest.mark.django_db
@pytest.mark.spec("Rulings A3.1")
def test_another_network_is_refused() -> None:
    """A database belongs to one network for ever: the one that it was migrated on. Source: rulings, Network profile."""
    NetworkProfile.objects.all().delete()
    call_command("migrate", verbosity=0)
    refuse_foreign_network()
    call_command("check", databases=["default"])
    assert foreign_profile() is None
    for profile in ("mainnet", "localnet"):
        with override_settings(NETWORK_PROFILE=profile):
            with pytest.raises(ImproperlyConfigured) as refusal:
                refuse_foreign_network()
            with pytest.raises(SystemCheckError, match=r"causeway\.E001"):
                call_command("check", databases=["default"])
            fix_network_profile()
        assert str(refusal.value) == (
            f"This database belongs to the network profile simulated, but NETWORK_PROFILE is {profile}. "
            "A database never changes networks: use another database, or set NETWORK_PROFILE back."
        )
        assert [row.profile for row in NetworkProfile.objects.all()] == ["simulated"]
