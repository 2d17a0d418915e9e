"""Is it up, and can it work: each dependency by itself, and nothing that an attacker could use."""

from datetime import timedelta

import pytest
import time_machine
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from core import heartbeats
from core.clock import now
from core.dispatch import BEAT, DELIVERY, WORKERS
from core.heartbeats import SignOfLife, note_alive
from core.migrated import refuse_unmigrated
from core.models import Heartbeat, InvariantCheck
from merchants.models import OutgoingMail
from operations import readiness
from operations.readiness import QUEUES
from tests.conftest import ApiClient, Reply

READY = "/api/public/health/ready"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queues that only this test names."""
    monkeypatch.setattr(readiness, "QUEUES", {})


def all_alive() -> None:
    """Workers of each kind took their messages, and the clock ticked."""
    for kind in (*WORKERS, BEAT):
        note_alive(kind)


def checks(reply: Reply) -> dict[str, str]:
    return {name: check["status"] for name, check in reply.body["checks"].items()}


@pytest.mark.spec("Contract 20.1")
@pytest.mark.spec("Health: 200 status and ts")
def test_up(anonymous: ApiClient) -> None:
    before = now()
    reply = anonymous.get("/api/public/health")
    assert reply.status == 200
    assert set(reply.body) == {"status", "ts"}
    assert reply.body["status"] == "ok"
    assert before.isoformat()[:19] <= reply.body["ts"][:19] <= now().isoformat()[:19]
    assert reply.body["ts"].endswith("Z")
    assert len(reply.body["ts"]) == len("2026-05-04T12:00:00.000Z")
    assert reply.headers["Cache-Control"] == "no-store"


@pytest.mark.spec("Contract 20.1")
def test_ready_once_a_worker_was_heard_and_nothing_about_the_inside_is_told(anonymous: ApiClient) -> None:
    reply = anonymous.get(READY)
    assert (reply.status, reply.body["status"]) == (503, "unavailable")
    silent = dict.fromkeys(("beat", "worker", "worker.delivery", "worker.upkeep", "worker.reader"), "unavailable")
    works = dict.fromkeys(
        ("database", "writes", "clock", "migrations", "secrets", "broker", "invariants", "signing", "sending"), "ok"
    )
    assert checks(reply) == works | silent
    assert reply.body["checks"]["worker"]["age_seconds"] is None
    text = reply.raw.decode().lower()
    assert [word for word in ("sqlite", "postgres", "redis", "/", "127.0.0.1", "@") if word in text] == []
    all_alive()
    reply = anonymous.get(READY)
    assert (reply.status, reply.body["status"]) == (200, "ok")
    assert checks(reply) == works | dict.fromkeys(silent, "ok")
    unchecked = {"status": "ok", "age_seconds": None, "detail": "Nothing was checked yet."}
    assert reply.body["checks"]["invariants"] == unchecked


@pytest.mark.parametrize("name", [*WORKERS, BEAT])
def test_each_heartbeat_must_be_young_and_is_told_apart(name: str, anonymous: ApiClient) -> None:
    shown = {"money": "worker", "beat": "beat"}.get(name, f"worker.{name}")
    all_alive()
    for age, status in ((0, 200), (8, 200), (10, 503), (3600, 503)):
        Heartbeat.objects.filter(name=name).update(at=now() - timedelta(seconds=age))
        reply = anonymous.get(READY)
        assert reply.status == status, age
        assert reply.body["checks"][shown]["age_seconds"] in {age, age + 1}
        silent = [check for check, state in checks(reply).items() if state != "ok"]
        assert silent == ([] if status == 200 else [shown])


def test_a_full_disk_and_missing_migrations_are_named(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both let everything be read."""
    all_alive()

    def full(_: str) -> None:
        raise DatabaseError("could not extend file: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(readiness, "note_alive", full)
        reply = anonymous.get(READY)
        assert (reply.status, checks(reply)["writes"], checks(reply)["database"]) == (503, "unavailable", "ok")
    monkeypatch.setattr("core.migrated._known", set())
    applied = MigrationRecorder(connection).migration_qs.filter(app="payouts")
    before = list(applied)
    applied.delete()
    reply = anonymous.get(READY)
    assert (reply.status, checks(reply)["migrations"]) == (503, "unavailable")
    assert reply.body["checks"]["migrations"]["detail"].endswith("migrations are not applied: run manage.py migrate.")
    with pytest.raises(SystemExit, match=r"^\d+ migrations are not applied, the first is payouts\.0001_tables\."):
        refuse_unmigrated()
    type(before[0]).objects.bulk_create(before)
    assert anonymous.get(READY).status == 200


@pytest.mark.postgres
def test_that_no_file_can_grow_is_named_though_rows_are_written(
    anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row is written anew within its page, where no table can grow any more. Whoever asks often writes no more."""
    monkeypatch.setattr(readiness, "room", readiness.Room())
    all_alive()
    assert anonymous.get(READY).status == 200
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL temp_file_limit = '100kB'")
    assert anonymous.get(READY).status == 200
    monkeypatch.setattr("core.clock.monotonic", lambda: float(readiness.ROOM_STANDS_SECONDS))
    reply = anonymous.get(READY)
    assert [name for name, state in checks(reply).items() if state != "ok"] == ["writes"]
    assert reply.status == 503
    assert Heartbeat.objects.filter(name="web").exists()


@pytest.mark.slow
def test_liveness_is_never_limited(anonymous: ApiClient, settings: Settings) -> None:
    """A proxy that is refused takes the node away from everybody; a hundred probes a minute are a usual proxy's."""
    settings.RATE_LIMIT_SCALE = 1.0
    assert {anonymous.get("/api/public/health").status for _ in range(200)} == {200}
    assert anonymous.get(READY).status == 503
    assert {anonymous.get(READY).status for _ in range(70)} == {503, 429}


def test_events_mail_and_changes_are_watched_too() -> None:
    """What is due in a table that no drain or sweep looks at is late like everything else."""
    assert {"events", "mail", "settlement_changes", "deliveries", "intents", "refunds", "payouts"} <= set(QUEUES)
    assert all(oldest_due() is None for oldest_due in QUEUES.values())
    long_ago = now() - timedelta(minutes=5)
    OutgoingMail.objects.create(next_attempt_at=long_ago)
    assert QUEUES["mail"]() == long_ago


@pytest.mark.spec("Contract 20.1")
def test_a_queue_must_move_and_be_readable(anonymous: ApiClient) -> None:
    all_alive()
    age: int | None = None
    readiness.QUEUES["deliveries"] = lambda: None if age is None else now() - timedelta(seconds=age)
    readiness.QUEUES["intents"] = lambda: None
    shown = {"database", "writes", "clock", "migrations", "broker", "beat", "worker", "worker.delivery"}
    shown |= {"worker.upkeep", "worker.reader", "secrets", "invariants", "signing", "sending"}
    shown |= {"queue.deliveries", "queue.intents"}
    for age, status in ((None, 200), (-3600, 200), (0, 200), (59, 200), (61, 503)):
        reply = anonymous.get(READY)
        assert (reply.status, set(reply.body["checks"])) == (status, shown), age
        assert reply.body["checks"]["queue.deliveries"]["age_seconds"] == (None if age is None else max(0, age))
        assert checks(reply)["queue.intents"] == "ok"

    def broken() -> None:
        raise DatabaseError("password=hunter2")

    readiness.QUEUES["deliveries"] = broken
    reply = anonymous.get(READY)
    assert (reply.status, checks(reply)["queue.deliveries"]) == (503, "unavailable")
    assert b"hunter2" not in reply.raw


def _checked(age: timedelta, *violations: str, is_cut: bool = False) -> None:
    moment = now() - age
    InvariantCheck.objects.create(
        asked_at=moment, started_at=moment, finished_at=moment, violations=list(violations), is_cut=is_cut
    )


def invariants(reply: Reply) -> dict[str, object]:
    """What readiness says of the invariants, without the age."""
    return {key: value for key, value in reply.body["checks"]["invariants"].items() if key != "age_seconds"}


def test_a_broken_invariant_is_said_without_naming_anything(anonymous: ApiClient) -> None:
    all_alive()
    _checked(timedelta(hours=1))
    _checked(timedelta(seconds=5), "I1 intent 5 gives back 26 USD of 25", "I2 …")
    InvariantCheck.objects.create(asked_at=now(), started_at=now())
    reply = anonymous.get(READY)
    assert (reply.status, reply.body["status"]) == (503, "unavailable")
    assert invariants(reply) == {
        "status": "unavailable",
        "detail": "The newest check found 2 statements that are broken. "
        "Operators read which on the page Invariants or in the log.",
    }
    assert reply.body["checks"]["invariants"]["age_seconds"] in {5, 6}
    assert b"intent 5" not in reply.raw
    _checked(timedelta(0))
    reply = anonymous.get(READY)
    assert (reply.status, invariants(reply)["detail"]) == (200, "The newest check found nothing wrong.")


@pytest.mark.parametrize(
    ("checked", "up", "status"),
    [(7190, 9000, 200), (7210, 9000, 503), (7210, 60, 200), (None, 7190, 200), (None, 7210, 503)],
)
def test_checks_must_come(
    checked: int | None, up: int, status: int, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that has just come back is given time for a check."""
    monkeypatch.setattr(readiness, "_UP_SINCE", now() - timedelta(seconds=up))
    all_alive()
    if checked is not None:
        _checked(timedelta(seconds=checked))
    reply = anonymous.get(READY)
    assert reply.status == status
    late = "No check of the invariants has ended for two hours."
    assert (invariants(reply)["detail"] == late) == (status == 503)


def test_a_worker_between_two_messages_says_once_in_a_while_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drain goes on for half a minute, and the message that asks for a sign of life waits behind it."""
    show, said = SignOfLife(), []
    with time_machine.travel(now(), tick=False) as clock:
        monkeypatch.setattr(heartbeats, "ticks", lambda: now().timestamp())
        for _ in range(4):
            show(DELIVERY)
            said.append(Heartbeat.objects.get(name=DELIVERY).at)
            clock.shift(1)
    assert [at - said[0] for at in said] == [timedelta(seconds=seconds) for seconds in (0, 0, 2, 2)]
