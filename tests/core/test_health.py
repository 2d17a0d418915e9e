"""Is it up, and can it work: each dependency by itself, and nothing that an attacker could use."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import DatabaseError

from config import folder_broker
from core import health, queues
from core.clock import now
from core.models import Heartbeat, InvariantCheck
from core.tasks import note_heartbeat
from tests.conftest import ApiClient, Reply

READY = "/api/public/health/ready"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry that only this test fills, and a broker that can be reached."""
    monkeypatch.setattr(queues, "QUEUES", {})
    if settings.EMBEDDED:
        folder_broker.empty(settings.BROKER_DIR)


def checks(reply: Reply) -> dict[str, str]:
    """What each dependency is."""
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
    assert checks(reply) == {"database": "ok", "broker": "ok", "worker": "unavailable", "invariants": "ok"}
    assert reply.body["checks"]["worker"]["age_seconds"] is None
    text = reply.raw.decode().lower()
    assert [word for word in ("sqlite", "postgres", "redis", "/", "127.0.0.1", "@") if word in text] == []
    note_heartbeat()
    reply = anonymous.get(READY)
    assert (reply.status, reply.body["status"]) == (200, "ok")
    assert checks(reply) == {"database": "ok", "broker": "ok", "worker": "ok", "invariants": "ok"}
    unchecked = {"status": "ok", "age_seconds": None, "detail": "Nothing was checked yet."}
    assert reply.body["checks"]["invariants"] == unchecked


def test_a_heartbeat_must_be_young(anonymous: ApiClient) -> None:
    for age, status in ((0, 200), (19, 200), (21, 503), (3600, 503)):
        Heartbeat.objects.update_or_create(name="worker", defaults={"at": now() - timedelta(seconds=age)})
        reply = anonymous.get(READY)
        assert reply.status == status, age
        assert reply.body["checks"]["worker"]["age_seconds"] in {age, age + 1}


@pytest.mark.spec("Contract 20.1")
def test_a_queue_must_move_and_be_readable(anonymous: ApiClient) -> None:
    note_heartbeat()
    age: int | None = None
    queues.register_queue("deliveries", lambda: None if age is None else now() - timedelta(seconds=age))
    queues.register_queue("intents", lambda: None)
    shown = {"database", "broker", "worker", "invariants", "queue.deliveries", "queue.intents"}
    for age, status in ((None, 200), (-3600, 200), (0, 200), (59, 200), (61, 503)):
        reply = anonymous.get(READY)
        assert (reply.status, set(reply.body["checks"])) == (status, shown), age
        assert reply.body["checks"]["queue.deliveries"]["age_seconds"] == (None if age is None else max(0, age))
        assert checks(reply)["queue.intents"] == "ok"

    def broken() -> None:
        raise DatabaseError("password=hunter2")

    queues.QUEUES.pop("deliveries")
    queues.register_queue("deliveries", broken)
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
    note_heartbeat()
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
    monkeypatch.setattr(health, "_UP_SINCE", now() - timedelta(seconds=up))
    note_heartbeat()
    if checked is not None:
        _checked(timedelta(seconds=checked))
    reply = anonymous.get(READY)
    assert reply.status == status
    late = "No check of the invariants has ended for two hours."
    assert (invariants(reply)["detail"] == late) == (status == 503)
