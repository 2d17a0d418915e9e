"""The audits' chain: each line is sealed once it is old enough, and nobody changes, removes or slips one in unseen."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import DatabaseError, connection, transaction

from core import seals
from core.append_only import AppendOnlyError
from core.clock import now
from core.models import AuditSeal
from merchants.audit import record_audit
from merchants.models import Change
from merchants.principal import Principal
from operations.audits import seal_audits
from operations.invariants.histories import audits_are_as_they_were_sealed
from operations.invariants.scope import WHOLE, Scope

TABLE = "merchants_change"


def found() -> list[str]:
    """What the check of invariants says."""
    return list(audits_are_as_they_were_sealed(WHOLE))


def went_around(statement: str, *values: int) -> None:
    """As whoever owns the tables can: the triggers are switched off for it."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(statement, values)
            cursor.execute("SET LOCAL session_replication_role = origin")
            return
        cursor.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [TABLE])
        laid = [row[0] for row in cursor.fetchall()]
        for verb in ("update", "delete"):
            cursor.execute(f"DROP TRIGGER {TABLE}_keeps_{verb}")
        cursor.execute(statement, values)
        for trigger in laid:
            cursor.execute(trigger)


@pytest.fixture
def lines(principal: Principal, monkeypatch: pytest.MonkeyPatch) -> list[Change]:
    """Five old lines, sealed two by two."""
    monkeypatch.setattr(seals, "LINES_A_SEAL", 2)
    with time_machine.travel(now() - timedelta(minutes=30), tick=False):
        for number in range(5):
            record_audit(principal, "key.created", str(number), after={"name": f"key {number}"})
    return list(Change.objects.order_by("pk"))


def test_old_lines_are_sealed_once_and_new_ones_later(principal: Principal, lines: list[Change]) -> None:
    record_audit(principal, "key.created", "new")
    seal_audits()
    seal_audits()
    sealed = list(AuditSeal.objects.filter(audit=TABLE).order_by("number").values_list("number", "lines", "last_line"))
    assert [one[:2] for one in sealed] == [(1, 2), (2, 2), (3, len(lines) - 4)]
    assert (sealed[-1][2], len({seal.digest for seal in AuditSeal.objects.all()})) == (lines[-1].pk, 3)
    assert found() == []
    with time_machine.travel(now() + timedelta(minutes=11), tick=False):
        seal_audits()
        assert (AuditSeal.objects.count(), found()) == (4, [])
    assert list(audits_are_as_they_were_sealed(Scope(merchant_id=principal.merchant_id))) == []


TAMPERED = {
    "changed": "UPDATE merchants_change SET actor = 'nobody' WHERE id = %s",
    "removed": "DELETE FROM merchants_change WHERE id = %s",
    "emptied": "DELETE FROM merchants_change WHERE id <> %s OR true",
    "moved": "UPDATE merchants_change SET created_at = '2020-01-01' WHERE id = %s",
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_line_that_is_not_as_it_was_is_named(case: str, lines: list[Change]) -> None:
    seal_audits()
    went_around(TAMPERED[case], lines[2].pk)
    [sentence] = found()
    last, number = (lines[1], 1) if case == "emptied" else (lines[3], 2)
    assert f"to {last.pk} of {TABLE} are not those that seal {number} of" in sentence


def test_a_seal_itself_is_never_changed(lines: list[Change]) -> None:
    seal_audits()
    seal = AuditSeal.objects.first()
    assert seal is not None
    for attempt in (seal.save, seal.delete, AuditSeal.objects.all().delete):
        with pytest.raises(AppendOnlyError):
            attempt()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE core_auditseal SET digest = ''")


def test_two_workers_seal_a_line_once(lines: list[Change], monkeypatch: Any) -> None:
    """The second one read where the chain ends before the first wrote."""
    edge = seals._Edge()
    seal_audits()
    before = list(AuditSeal.objects.values())
    monkeypatch.setattr(seals, "_Edge", lambda *_: edge)
    seal_audits()
    assert list(AuditSeal.objects.values()) == before


@pytest.mark.postgres
@pytest.mark.parametrize("table", [TABLE, "mcp_server_agentrecord", "core_auditseal"])
def test_nobody_empties_an_audit_at_once(table: str, lines: list[Change]) -> None:
    seal_audits()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {table}")
    assert (Change.objects.count(), AuditSeal.objects.count()) == (len(lines), 3)
