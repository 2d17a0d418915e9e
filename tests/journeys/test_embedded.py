"""The newcomer's whole story on the embedded default: one command, a payment, a signed webhook, and all of it kept."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.journeys.http_caller import Caller, soon
from tests.journeys.programs import Embedded, embedded
from tests.journeys.recipe import Receiver, receiving
from tests.journeys.stories import paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = pytest.mark.embedded

PRINTED = ("/", "/demo/", "/docs/", "/api/docs/", "/accounts/login/", "/dashboard/")
DEMO_FILE = {
    *("base_url", "dashboard_url", "merchant_email", "merchant_password", "test_secret_key"),
    *("test_publishable_key", "live_secret_key", "live_publishable_key"),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("embedded"), own_port()) as running:
        yield running


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.mark.spec("What the service does 1; What the service does 3; What the service does 4")
@pytest.mark.spec("Events: payment_intent.settled is emitted when an intent reaches settled")
def test_a_payment_settles_and_the_merchant_is_told(service: Embedded, receiver: Receiver) -> None:
    merchant = service.merchant()
    register(merchant, receiver)
    intent_id = paid(merchant, metadata={"order": 7})
    receiver.wait_for(
        lambda got: any(event["type"] == "payment_intent.settled" for event in got.accepted()), PATIENCE_SECONDS
    )
    assert {delivery.genuine for delivery in receiver.deliveries} == {True}
    assert receiver.sequences(intent_id) == [1, 2, 3, 4]
    [settled] = [event for event in receiver.accepted() if event["type"] == "payment_intent.settled"]
    assert set(settled) >= {"id", "type", "created_at", "data"}
    assert settled["id"].startswith("evt_")
    told = {name: settled["data"][name] for name in ("id", "amount", "currency", "settlement_chain", "metadata")}
    assert told == {
        "id": intent_id,
        "amount": "25.00",
        "currency": "USD",
        "settlement_chain": "base",
        "metadata": {"order": 7},
    }


@pytest.mark.spec("Events: failed deliveries are retried with exponential backoff")
def test_a_receiver_that_was_ill_gets_it_again(service: Embedded, receiver: Receiver) -> None:
    merchant = service.merchant()
    endpoint_id = register(merchant, receiver)
    receiver.answer = lambda delivery: 500 if delivery.headers["svc-attempt"] == "1" else delivery.answered
    paid(merchant)
    soon(lambda: statuses_of(merchant, endpoint_id) == [[500]] * 4, "the first attempts written down")
    assert receiver.accepted() == []
    assert merchant.post("/test-helpers/clock/advance", {"seconds": 60}).status == 200
    soon(lambda: statuses_of(merchant, endpoint_id) == [[500, 200]] * 4, "the second attempts written down")
    bodies = Counter(delivery.raw_body for delivery in receiver.deliveries)
    assert list(bodies.values()) == [2] * 4
    assert {delivery.genuine for delivery in receiver.deliveries} == {True}


def statuses_of(merchant: Caller, endpoint_id: str) -> list[list[int]]:
    deliveries = merchant.get(f"/webhook-endpoints/{endpoint_id}/deliveries").body["data"]
    return [[attempt["response_status"] for attempt in delivery["attempts"]] for delivery in deliveries]


def test_a_second_start_keeps_everything(service: Embedded, receiver: Receiver) -> None:
    merchant = service.merchant()
    endpoint_id = register(merchant, receiver)
    intent_id = paid(merchant)
    kept = [
        f"/payment-intents/{intent_id}",
        f"/payment-intents/{intent_id}/routing",
        f"/webhook-endpoints/{endpoint_id}",
    ]
    before = [merchant.get(path).raw for path in kept]
    demo_file = (service.folder / "demo.json").read_bytes()
    assert service.program.stop() == 0
    service.start()
    assert (service.folder / "demo.json").read_bytes() == demo_file
    assert set(json.loads(demo_file)) == DEMO_FILE
    assert service.merchant() == merchant
    assert [merchant.get(path).raw for path in kept] == before
    paid(merchant)


def test_the_printed_pages_are_there(service: Embedded) -> None:
    found = {path: Caller(base_url=service.base_url).look(path) for path in PRINTED}
    assert {path: (page.status, b"<title>" in page.raw) for path, page in found.items()} == dict.fromkeys(
        PRINTED, (200, True)
    )
