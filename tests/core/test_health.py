"""Is it up, and can it work: each dependency by itself, and nothing that an attacker could use."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import DatabaseError

from config import folder_broker
from core import queues
from core.clock import now
from core.models import Heartbeat
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


def test_ready_once_a_worker_was_heard(anonymous: ApiClient) -> None:
    reply = anonymous.get(READY)
    assert (reply.status, reply.body["status"]) == (503, "unavailable")
    assert checks(reply) == {"database": "ok", "broker": "ok", "worker": "unavailable"}
    assert reply.body["checks"]["worker"]["age_seconds"] is None
    note_heartbeat()
    reply = anonymous.get(READY)
    assert (reply.status, reply.body["status"]) == (200, "ok")
    assert checks(reply) == {"database": "ok", "broker": "ok", "worker": "ok"}


@pytest.mark.parametrize(("age", "status"), [(0, 200), (19, 200), (21, 503), (3600, 503)])
def test_a_heartbeat_must_be_young(age: int, status: int, anonymous: ApiClient) -> None:
    Heartbeat.objects.create(name="worker", at=now() - timedelta(seconds=age))
    reply = anonymous.get(READY)
    assert reply.status == status
    assert reply.body["checks"]["worker"]["age_seconds"] in {age, age + 1}


@pytest.mark.parametrize(("age", "status"), [(None, 200), (-3600, 200), (0, 200), (59, 200), (61, 503)])
def test_a_queue_must_move(age: int | None, status: int, anonymous: ApiClient) -> None:
    note_heartbeat()
    queues.register_queue("deliveries", lambda: None if age is None else now() - timedelta(seconds=age))
    queues.register_queue("intents", lambda: None)
    reply = anonymous.get(READY)
    assert reply.status == status
    assert set(reply.body["checks"]) == {"database", "broker", "worker", "queue.deliveries", "queue.intents"}
    shown = reply.body["checks"]["queue.deliveries"]["age_seconds"]
    assert shown == (None if age is None else max(0, age))
    assert checks(reply)["queue.intents"] == "ok"


def test_a_queue_that_cannot_be_read_is_unavailable(anonymous: ApiClient) -> None:
    def broken() -> None:
        raise DatabaseError("password=hunter2")

    note_heartbeat()
    queues.register_queue("deliveries", broken)
    reply = anonymous.get(READY)
    assert (reply.status, checks(reply)["queue.deliveries"]) == (503, "unavailable")
    assert b"hunter2" not in reply.raw


def test_nothing_about_the_inside_is_told(anonymous: ApiClient) -> None:
    reply = anonymous.get(READY)
    text = reply.raw.decode()
    assert [word for word in ("sqlite", "postgres", "redis", "/", "127.0.0.1", "@") if word in text.lower()] == []
