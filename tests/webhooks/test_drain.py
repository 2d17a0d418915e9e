"""Delivery of due events over real sockets: what is sent, what counts as success, what follows a failure."""

import re
from collections.abc import Callable
from datetime import timedelta

import orjson
import pytest

from core.clock import now
from core.modes import Mode
from merchants.principal import Principal
from tests.payments.world import START, World
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver, answer, closed_port
from webhooks import services
from webhooks.delivery import drain
from webhooks.delivery.claims import LEASE, claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes
from webhooks.models import Delivery, DeliveryAttempt, Event
from webhooks.schedule import RETRY_DELAYS

pytestmark = pytest.mark.slow


@pytest.mark.spec("Events: HTTPS POST with a signed JSON event to each enabled endpoint subscribed to the type")
def test_an_event_reaches_its_subscriber_once(principal: Principal, subscriber: Subscriber, receiver: Receiver) -> None:
    event = happen(principal, amount="25.00")
    assert drain() == 1
    [request] = receiver.received
    assert request.body.decode() == event.payload
    delivery = subscriber.delivery()
    assert (delivery.outcome, delivery.next_attempt_at, delivery.leased_until, delivery.attempts) == (
        "delivered",
        None,
        None,
        1,
    )
    attempt = DeliveryAttempt.objects.get()
    assert (attempt.number, attempt.response_status, attempt.response_body, attempt.error) == (1, 200, "ok", "")
    assert drain() == 0
    assert len(receiver.received) == 1


@pytest.mark.spec("Contract 0.2; Contract 10.1")
@pytest.mark.spec("Events: envelope id, type, created_at, data")
def test_the_body_is_the_envelope(principal: Principal, subscriber: Subscriber, receiver: Receiver) -> None:
    event = happen(principal, "payout.paid", amount="25.00", nested={"a": [1, None]})
    drain()
    body = orjson.loads(receiver.received[0].body)
    assert list(body)[:4] == ["id", "type", "created_at", "data"]
    assert re.fullmatch(r"evt_[0-9a-f]{32}", body["id"])
    assert body == {
        "id": event.id,
        "type": "payout.paid",
        "created_at": event.occurred_at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
        "data": {"id": str(event.resource_id), "amount": "25.00", "nested": {"a": [1, None]}},
        "mode": "test",
        "api_version": "1.2.0",
        "sequence": 1,
        "resource": {"type": "payout", "id": str(event.resource_id)},
    }


@pytest.mark.spec("Contract 11.7; Contract 21.11")
def test_the_headers_say_what_it_is(
    world: World, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    event = happen(principal)
    drain()
    headers = receiver.received[0].headers
    assert headers["Content-Type"] == "application/json"
    assert headers["Svc-Event-Id"] == headers["webhook-id"] == event.id
    assert headers["Svc-Event-Type"] == "payment_intent.settled"
    assert headers["Svc-Delivery-Id"] == str(subscriber.delivery().pk)
    assert headers["Svc-Attempt"] == "1"
    assert headers["User-Agent"] == "Causeway/1.2.0"
    assert headers["Accept-Encoding"] == "identity"
    assert headers["Svc-Signature"].split(",")[0] == f"t={int(START.timestamp())}"


@pytest.mark.spec("Contract 11.1")
@pytest.mark.spec("Events: which answers count as success (not shown)")
@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_success(principal: Principal, subscriber: Subscriber, receiver: Receiver, status: int) -> None:
    receiver.script = answer(status)
    happen(principal)
    drain()
    assert subscriber.delivery().outcome == "delivered"


@pytest.mark.spec("Contract 11.1")
@pytest.mark.parametrize("status", [300, 301, 302, 307, 308, 400, 401, 404, 500, 502, 599])
def test_everything_else_is_tried_again(
    principal: Principal, subscriber: Subscriber, receiver: Receiver, status: int
) -> None:
    receiver.script = answer(status, b"no", Location=receiver.url + "/elsewhere")
    happen(principal)
    before = now()
    drain()
    delivery = subscriber.delivery()
    assert (delivery.outcome, delivery.attempts) == ("due", 1)
    assert delivery.next_attempt_at is not None
    wait = delivery.next_attempt_at - before
    assert timedelta(seconds=30) <= wait <= timedelta(seconds=35)
    assert DeliveryAttempt.objects.get().response_status == status
    assert [request.path for request in receiver.received] == ["/hook"]


def test_a_refused_connection_is_a_failure_with_a_word(principal: Principal) -> None:
    made = subscribe(principal, f"http://127.0.0.1:{closed_port()}/hook")
    happen(principal)
    drain()
    attempt = DeliveryAttempt.objects.get()
    assert (attempt.response_status, attempt.error, attempt.response_headers) == (None, "connection_failed", {})
    assert made.delivery().outcome == "due"
    assert made.fresh().failing_since is not None


@pytest.mark.spec("Contract 11.4; Contract 11.5")
@pytest.mark.spec("Limits: at most 8 attempts")
def test_eight_attempts_each_signed_afresh_then_exhausted(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    event = happen(principal)
    for attempt in range(1, 9):
        assert drain() == 1
        assert drain() == 0
        assert subscriber.delivery().attempts == attempt
        services.shift_due(principal.merchant_id, principal.mode, RETRY_DELAYS.delays_seconds[min(attempt, 7) - 1] * 2)
    delivery = subscriber.delivery()
    assert (delivery.outcome, delivery.next_attempt_at) == ("exhausted", None)
    assert [request.headers["Svc-Attempt"] for request in receiver.received] == [str(n) for n in range(1, 9)]
    assert {request.body for request in receiver.received} == {event.payload.encode()}
    assert {request.headers["Svc-Event-Id"] for request in receiver.received} == {event.id}
    assert drain() == 0


def test_a_retry_that_succeeds_ends_it(principal: Principal, subscriber: Subscriber, receiver: Receiver) -> None:
    receiver.script = answer(503)
    happen(principal)
    drain()
    assert subscriber.fresh().failing_since is not None
    receiver.script = answer(200)
    services.shift_due(principal.merchant_id, principal.mode, 60)
    drain()
    assert subscriber.delivery().outcome == "delivered"
    assert subscriber.fresh().failing_since is None
    assert [row.response_status for row in DeliveryAttempt.objects.order_by("number")] == [503, 200]


def test_time_is_moved_for_one_merchant_and_mode_only(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    drain()
    services.shift_due(principal.merchant_id, Mode.LIVE, 10_000)
    services.shift_due(principal.merchant_id + 1, Mode.TEST, 10_000)
    assert drain() == 0
    shown_before = Event.objects.get().payload
    services.shift_due(principal.merchant_id, Mode.TEST, 10_000)
    assert drain() == 1
    assert Event.objects.get().payload == shown_before


@pytest.mark.parametrize(("status", "after", "least", "most"), [(429, "90", 90, 95), (503, "5", 30, 35)])
def test_retry_after_moves_the_next_attempt(  # noqa: PLR0913, PLR0917 - a table's columns
    principal: Principal, subscriber: Subscriber, receiver: Receiver, status: int, after: str, least: int, most: int
) -> None:
    receiver.script = answer(status, Retry_After=after)
    happen(principal)
    before = now()
    drain()
    due_at = subscriber.delivery().next_attempt_at
    assert due_at is not None
    assert timedelta(seconds=least) <= due_at - before <= timedelta(seconds=most)


@pytest.mark.spec("Contract 10.6; Contract 11.3")
def test_410_switches_the_endpoint_off_and_tells_the_others(
    principal: Principal, subscriber: Subscriber, receiver: Receiver, receivers: Callable[[], Receiver]
) -> None:
    other = subscribe(principal, receivers().url, "webhook_endpoint.*")
    receiver.script = answer(410)
    happen(principal)
    happen(principal)
    drain(12)
    gone = subscriber.fresh()
    assert (gone.enabled, gone.disabled_reason) == (False, "gone")
    assert set(Delivery.objects.filter(endpoint=gone).values_list("outcome", flat=True)) == {"cancelled"}
    news = Event.objects.get(type="webhook_endpoint.disabled")
    assert (news.resource_id, news.sequence) == (gone.pk, 1)
    assert orjson.loads(news.payload)["data"] == {
        "id": str(gone.pk),
        "url": receiver.url,
        "enabled": False,
        "reason": "gone",
    }
    assert set(Delivery.objects.filter(event=news).values_list("endpoint_id", flat=True)) == {other.endpoint.pk}


@pytest.mark.spec("Contract 11.8")
def test_one_failing_endpoint_does_not_hold_up_another(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    broken = subscribe(principal, f"http://127.0.0.1:{closed_port()}/hook")
    for _ in range(5):
        happen(principal)
    drain()
    assert len(receiver.received) == 5
    assert set(Delivery.objects.filter(endpoint=broken.endpoint).values_list("outcome", flat=True)) == {"due"}


def test_a_live_event_never_leaves_for_this_machine(principal: Principal, receiver: Receiver) -> None:
    live = Principal(merchant_id=principal.merchant_id, mode=Mode.LIVE, actor="key:live")
    made = subscribe(live, "https://hooks.shop.example/causeway")
    type(made.endpoint).objects.filter(pk=made.endpoint.pk).update(url=receiver.url)
    happen(live)
    drain()
    assert receiver.received == []
    assert DeliveryAttempt.objects.get().error == "url_not_allowed"


def test_a_crashed_worker_s_claim_comes_due_again_under_the_next_number(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    happen(principal)
    fan_out()
    [lost] = claim(Lanes())
    assert (lost.number, drain()) == (1, 0)
    Delivery.objects.update(leased_until=now() - LEASE)
    assert drain() == 1
    assert receiver.received[0].headers["Svc-Attempt"] == "2"
    assert subscriber.delivery().outcome == "delivered"
