"""Every process of the tests has copies of tables made once, and a test that commits leaves them as they were."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from chains.models import NetworkProfile
from merchants.models import Change, Merchant
from merchants.services import create_merchant
from tests.tables import put_back
from tests.templates import LOADED, fingerprint
from tokens.models import Token

COME_LOADED = (Token, NetworkProfile, ContentType, Permission)


def loaded() -> list[Any]:
    """Every row that comes with a new database."""
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
    line = {"merchant_id": 1, "actor": "key:test", "deed": "key.rolled"}
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
