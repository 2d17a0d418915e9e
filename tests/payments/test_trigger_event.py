"""The test helper that sends a sample event."""

import pytest

from tests.conftest import ApiClient
from webhooks.models import Event

PATH = "/test-helpers/events/trigger"


@pytest.mark.spec("Contract 18.7")
@pytest.mark.spec("Events")
def test_a_sample_of_the_type_is_written_with_the_chosen_data(api: ApiClient) -> None:
    reply = api.post(PATH, {"type": "payment_intent.settled", "data": {"reference": "order-7"}})
    event = Event.objects.get()
    assert reply.status == 200
    assert reply.body == {"id": event.pk, "type": "payment_intent.settled"}
    assert '"reference":"order-7"' in event.payload


def test_an_unknown_type_is_refused_and_nothing_is_written(api: ApiClient) -> None:
    reply = api.post(PATH, {"type": "payment_intent.vanished"})
    assert (reply.status, reply.body["code"]) == (400, "unknown_event_type")
    assert reply.body["details"]["unknown"] == ["payment_intent.vanished"]
    assert not Event.objects.exists()


@pytest.mark.parametrize("extra", [[], "text", 1])
def test_data_that_is_no_object_is_refused(api: ApiClient, extra: object) -> None:
    reply = api.post(PATH, {"type": "ping", "data": extra})
    assert (reply.status, reply.body["code"]) == (400, "invalid_request")
    assert reply.body["details"]["fields"][0]["field"] == "data"
    assert not Event.objects.exists()


@pytest.mark.spec("Contract 18.3")
@pytest.mark.spec("Test mode")
def test_it_does_not_exist_for_live_keys(live_api: ApiClient) -> None:
    assert live_api.post(PATH, {"type": "ping"}).status == 404
    assert not Event.objects.exists()
