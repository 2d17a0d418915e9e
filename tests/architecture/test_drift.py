"""What is generated from the code is committed as the code says it: migrations and docs/openapi.yaml."""

import io

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import models
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from drf_spectacular.drainage import GENERATOR_STATS

from sdks.generator import collection, python, vectors
from sdks.generator.read import read_document
from tests.architecture.source import ROOT

COMMITTED = ROOT / "docs" / "openapi.yaml"
WRITE_IT_AGAIN = "docs/openapi.yaml differs from the code: run `make schema` and commit it"


@pytest.mark.spec("Contract 19.1")
def test_the_committed_description_is_the_generated_one() -> None:
    """A warning of the generator is an error."""
    output = io.StringIO()
    GENERATOR_STATS.reset()
    call_command("spectacular", "--fail-on-warn", stdout=output)
    assert COMMITTED.exists(), WRITE_IT_AGAIN
    assert COMMITTED.read_text(encoding="utf-8").strip() == output.getvalue().strip(), WRITE_IT_AGAIN


def test_the_generated_part_of_the_sdks_is_what_the_description_says() -> None:
    """`make sdks` writes it again."""
    assert python.committed() == python.wanted()
    assert collection.committed() == collection.files(read_document())
    assert vectors.files() == {path.name: path.read_text(encoding="utf-8") for path in vectors.FOLDER.glob("*.json")}


def missing_migrations(loader: MigrationLoader, after: ProjectState) -> list[str]:
    changes = MigrationAutodetector(loader.project_state(), after).changes(graph=loader.graph)
    return [
        f"{app}: {operation.describe()}"
        for app, migrations in changes.items()
        for migration in migrations
        for operation in migration.operations
    ]


def test_no_migration_is_missing_and_one_that_were_would_be_noticed() -> None:
    loader = MigrationLoader(None)
    assert missing_migrations(loader, ProjectState.from_apps(apps)) == []
    changed = ProjectState.from_apps(apps)
    changed.add_field("core", "heartbeat", "planted", models.IntegerField(default=0), preserve_default=True)
    assert "core: Add field planted to heartbeat" in missing_migrations(loader, changed)
