"""Receivers that never answer hold up nobody else's payment, with as few processes as the production form has."""

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.journeys.production import production
from tests.journeys.recipe import receiving
from tests.journeys.stories import paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = pytest.mark.postgres

RECEIVERS, INTENTS = 5, 20


@contextmanager
def silent(count: int) -> Iterator[list[socket.socket]]:
    """So many servers that take connections and never read or answer anything."""
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_server(("127.0.0.1", own_port()), backlog=64)) for _ in range(count)]


@pytest.mark.exhaustive
def test_silent_receivers_hold_up_nobody_elses_payment(tmp_path: Path) -> None:
    """Its own messages, too: another merchant's receiver is told while the silent ones are waited for."""
    with production(tmp_path, own_port(), RATE_LIMIT_SCALE="1000") as service, silent(RECEIVERS) as servers:
        quiet, other = service.merchant("quiet"), service.merchant("other")
        for server in servers:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            assert quiet.post("/webhook-endpoints", {"url": url, "events": ["*"]}).status == 201
        for _ in range(INTENTS):
            created = quiet.post("/payment-intents", {"amount": 25})
            assert quiet.post(f"/payment-intents/{created.body['id']}/cancel").status == 200
        held, _, _ = select.select(servers, (), (), PATIENCE_SECONDS)
        assert held, "nobody was kept waiting: this proves nothing"
        with receiving() as receiver:
            register(other, receiver)
            intents = [paid(other) for _ in range(5)]
            receiver.wait_for(
                lambda got: [got.sequences(intent) for intent in intents] == [[1, 2, 3, 4]] * 5, PATIENCE_SECONDS
            )
        readiness = other.get("/api/public/health/ready")
        assert (readiness.status, {check["status"] for check in readiness.body["checks"].values()}) == (200, {"ok"})
        assert set(readiness.body["checks"]) >= {"beat", "worker", "worker.delivery", "worker.upkeep", "queue.events"}
