"""The same story on the production form: the container's own processes, two workers, PostgreSQL and Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.production import Production, production
from tests.journeys.recipe import receiving
from tests.journeys.stories import paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = pytest.mark.postgres


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Production]:
    with production(tmp_path, own_port()) as running:
        yield running


def test_a_payment_settles_and_the_merchant_is_told(service: Production) -> None:
    """One test, so that one deployment is started wherever the tests are spread."""
    merchant = service.merchant()
    readiness = merchant.get("/api/public/health/ready")
    assert readiness.status == 200
    assert {check["status"] for check in readiness.body["checks"].values()} == {"ok"}
    assert set(readiness.body["checks"]) >= {"database", "broker", "worker"}
    with receiving() as receiver:
        register(merchant, receiver)
        intents = [paid(merchant) for _ in range(2)]
        receiver.wait_for(
            lambda got: [got.sequences(intent) for intent in intents] == [[1, 2, 3, 4]] * 2, PATIENCE_SECONDS
        )
    assert {delivery.genuine for delivery in receiver.deliveries} == {True}
    told = [event["data"]["id"] for event in receiver.accepted() if event["type"] == "payment_intent.settled"]
    assert sorted(told) == sorted(intents)
