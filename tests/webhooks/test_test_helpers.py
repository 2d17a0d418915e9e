"""The test world's helpers, as far as webhooks follow them."""

import orjson

from tests.conftest import ApiClient
from tests.webhooks.actors import Subscriber
from tests.webhooks.receivers import Receiver, answer
from webhooks.delivery import drain
from webhooks.models import Event


def test_a_sample_is_sent_and_the_clock_brings_its_retry(
    api: ApiClient, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    reply = api.post("/test-helpers/events/trigger", {"type": "payout.paid", "data": {"amount": "7.00"}})
    assert reply.status in {200, 201}
    drain()
    assert drain() == 0
    receiver.script = answer(200)
    assert api.post("/test-helpers/clock/advance", {"seconds": 60}).status == 200
    drain()
    first, second = receiver.received
    assert first.body == second.body == Event.objects.get().payload.encode()
    assert orjson.loads(first.body)["data"]["amount"] == "7.00"
    assert subscriber.delivery().outcome == "delivered"


def test_helpers_are_not_there_for_live_keys(live_api: ApiClient) -> None:
    assert live_api.post("/test-helpers/events/trigger", {"type": "ping"}).status == 404
    assert not Event.objects.exists()
