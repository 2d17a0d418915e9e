"""Old and new code run together while a release goes out: migrations between two releases only add, and lock nobody.

``DECIDED`` holds what a person looked at: why it does no harm, or in which release code stopped needing it.
"""

from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

from core.indexes import AddIndexMeanwhile
from tests.architecture.additive import findings, judged, released

_PARTITIONS = "Partitions under the names of before, in a transaction that waits in short tries; 0.1.0 works with them."
_FEW = "One row a merchant: making the index takes milliseconds."
_POLICY, _MEANWHILE = "of model payoutpolicy: writers wait for the index", "AddIndexMeanwhile keeps nobody waiting"
DECIDED = {
    "merchants.migrations.0005_request_days: its text has"
    " CREATE INDEX, DROP CONSTRAINT, DROP DEFAULT, DROP IDENTITY, DROP TABLE, RENAME": _PARTITIONS,
    "webhooks.migrations.0008_event_weeks: its text has"
    " DROP CONSTRAINT, DROP DEFAULT, DROP IDENTITY, DROP TABLE, RENAME": _PARTITIONS,
    "payments.migrations.0015_queued_intents: its text has DROP DEFAULT, DROP FUNCTION, DROP TRIGGER, remove_field": (
        "Columns go on SQLite alone, the rest is the way back. On PostgreSQL 0.1.0 needs columns and trigger, so the"
        " first release that may drop them is the one after the next."
    ),
    f"payouts.migrations.0002_looks_at_settle: Create index payout_policy_due on field(s) look_at {_POLICY};"
    f" {_MEANWHILE}": _FEW,
    f"payouts.migrations.0002_looks_at_settle: Create index payout_policy_rested on field(s) again_at {_POLICY};"
    f" {_MEANWHILE}": _FEW,
}


def planted(*operations: Any, atomic: bool = True) -> list[str]:
    """What is found of a migration of payments that would come after all others."""
    migration = type("Migration", (migrations.Migration,), {"operations": list(operations), "atomic": atomic})
    return list(judged(migration("9999_planted", "payments"), MigrationLoader(None).project_state()))


def test_what_came_since_the_last_release_only_adds_and_keeps_nobody_waiting() -> None:
    assert set(findings(released())) ^ set(DECIDED) == set(), "docs/upgrade.md, What a migration may do"


def test_the_migrations_of_the_last_release_are_all_here() -> None:
    known = {migration.__module__ for migration in MigrationLoader(None).disk_migrations.values()}
    assert released() - known == set()


OF_INTENT = "paymentintent"
REFERENCE = models.ForeignKey("merchants.Merchant", models.PROTECT, null=True)
INDEX = models.Index(fields=["status"], name="planted")
CHECK = models.CheckConstraint(condition=models.Q(("status", "created")), name="planted")
BREAKS: list[tuple[Any, str]] = [
    (migrations.AddField(OF_INTENT, "planted", models.IntegerField(default=0)), "has no default in the database"),
    (migrations.AddField(OF_INTENT, "planted", REFERENCE), "writers wait for its index or its references"),
    (migrations.AddField(OF_INTENT, "planted", models.IntegerField(null=True, unique=True)), "writers wait for its"),
    (migrations.RemoveField(OF_INTENT, "status"), "drops a column"),
    (migrations.DeleteModel("RouteCandidate"), "drops a table"),
    (migrations.RenameModel("RouteCandidate", "Candidate"), "renames a table"),
    (migrations.RenameField(OF_INTENT, "status", "state"), "renames a column"),
    (migrations.AlterField(OF_INTENT, "status", models.CharField(max_length=8)), "narrows max_length"),
    (migrations.AlterField(OF_INTENT, "status", models.TextField()), "changes the type"),
    (migrations.AlterField(OF_INTENT, "status", models.CharField(max_length=24, unique=True)), "adds a unique key"),
    (migrations.AlterField("leg", "search_at", models.DateTimeField()), "takes no NULL any more"),
    (migrations.AddConstraint(OF_INTENT, CHECK), "adds a constraint"),
    (migrations.RemoveConstraint("paymentattempt", "attempts_are_numbered"), "drops a unique key"),
    (migrations.AddIndex(OF_INTENT, INDEX), "writers wait for the index"),
    (migrations.RunSQL("ALTER TABLE payments_leg DROP COLUMN planted"), "its text has DROP COLUMN"),
    (migrations.RunSQL("CREATE INDEX planted ON payments_leg (id)"), "its text has CREATE INDEX"),
    (
        migrations.SeparateDatabaseAndState(database_operations=[migrations.RemoveField(OF_INTENT, "status")]),
        "drops a column",
    ),
]


@pytest.mark.parametrize(("operation", "found"), BREAKS, ids=lambda given: getattr(given, "__name__", str(given)))
def test_what_old_code_does_not_bear_is_found(operation: Any, found: str) -> None:
    [said] = planted(operation)
    assert found in said


def test_what_cannot_be_run_again_is_found() -> None:
    [said] = planted(migrations.AddField(OF_INTENT, "planted", models.IntegerField(null=True)), atomic=False)
    assert said.endswith("cannot be run again where the migration was interrupted after it")


def test_what_only_adds_is_not() -> None:
    add, table = migrations.AddField, migrations.CreateModel("Planted", [("id", models.BigAutoField(primary_key=True))])
    assert planted(add(OF_INTENT, "planted", models.IntegerField(null=True))) == []
    assert planted(add(OF_INTENT, "planted", models.IntegerField(db_default=0))) == []
    assert planted(migrations.AlterField(OF_INTENT, "status", models.CharField(max_length=40))) == []
    assert planted(table, migrations.AddIndex("planted", models.Index(fields=["id"], name="planted"))) == []
    assert planted(AddIndexMeanwhile(OF_INTENT, INDEX), atomic=False) == []
    gone = migrations.RemoveField(OF_INTENT, "status")
    assert planted(migrations.SeparateDatabaseAndState(state_operations=[gone])) == []
