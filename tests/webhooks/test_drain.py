"""Delivery of due events over real sockets: what is sent and signed, what counts as success, what follows a failure."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import orjson
import pytest
import time_machine

from core.clock import now
from core.modes import Mode
from merchants.principal import Principal
from tests.machine import own_port
from tests.payments.world import START, World
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks import services
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery, DeliveryAttempt, Event, WebhookEndpoint
from webhooks.schedule import RETRY_DELAYS
from webhooks.selectors import receivers as valid_receivers
from webhooks.signatures import sign

pytestmark = pytest.mark.slow


@pytest.mark.spec("Events: HTTPS POST with a signed JSON event to each enabled endpoint subscribed to the type")
@pytest.mark.spec("Contract 0.2; Contract 10.1; Contract 11.7; Contract 21.11")
@pytest.mark.spec("Events: envelope id, type, created_at, data")
def test_an_event_reaches_its_subscriber_once_as_a_signed_envelope(
    world: World, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    event = happen(principal, "payout.paid", amount="25.00", nested={"a": [1, None]})
    assert drain() == 1
    [request] = receiver.received
    body, headers, delivery = orjson.loads(request.body), request.headers, subscriber.delivery()
    assert request.body.decode() == event.payload
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
    assert (headers["Content-Type"], headers["Accept-Encoding"]) == ("application/json", "identity")
    assert headers["Svc-Event-Id"] == headers["webhook-id"] == event.id
    assert (headers["Svc-Event-Type"], headers["User-Agent"]) == ("payout.paid", "Causeway/1.2.0")
    assert (headers["Svc-Delivery-Id"], headers["Svc-Attempt"]) == (str(delivery.pk), "1")
    assert headers["Svc-Signature"].split(",")[0] == f"t={int(START.timestamp())}"
    assert (delivery.outcome, delivery.next_attempt_at, delivery.leased_until) == ("delivered", None, None)
    attempt = DeliveryAttempt.objects.get()
    assert (delivery.attempts, attempt.number, attempt.response_status) == (1, 1, 200)
    assert (attempt.response_body, attempt.error) == ("ok", "")
    assert drain() == 0
    assert len(receiver.received) == 1


@pytest.mark.spec("Contract 11.1; Events: which answers count as success (not shown)")
def test_any_2xx_is_success_and_everything_else_is_tried_again(
    principal: Principal, receivers: Callable[[], Receiver]
) -> None:
    asked = {}
    for status in (200, 201, 202, 204, 299, 300, 301, 302, 307, 308, 400, 401, 404, 500, 502, 599):
        receiver = receivers()
        receiver.script = answer(status, b"" if status < 300 else b"no", Location=receiver.url + "/elsewhere")
        asked[status] = receiver, subscribe(principal, receiver.url)
    happen(principal)
    before = now()
    drain()
    for status, (receiver, subscriber) in asked.items():
        delivery = subscriber.delivery()
        assert (delivery.outcome, delivery.attempts) == ("delivered" if status < 300 else "due", 1), status
        assert DeliveryAttempt.objects.get(delivery=delivery).response_status == status
        assert [request.path for request in receiver.received] == ["/hook"], status
        if status >= 300:
            assert delivery.next_attempt_at is not None
            assert timedelta(seconds=30) <= delivery.next_attempt_at - before <= timedelta(seconds=35), status


@pytest.mark.spec("Contract 11.8")
def test_a_refused_connection_is_a_failure_with_a_word_and_does_not_hold_up_another(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    broken = subscribe(principal, f"http://127.0.0.1:{own_port()}/hook")
    for _ in range(5):
        happen(principal)
    drain()
    assert len(receiver.received) == 5
    refused = DeliveryAttempt.objects.filter(delivery__endpoint=broken.endpoint)
    assert set(refused.values_list("response_status", "error")) == {(None, "connection_failed")}
    assert [row.response_headers for row in refused] == [{}] * 5
    assert set(Delivery.objects.filter(endpoint=broken.endpoint).values_list("outcome", flat=True)) == {"due"}
    assert broken.fresh().failing_since is not None


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


def test_a_retry_that_succeeds_ends_it_and_time_is_moved_for_one_merchant_and_mode_only(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(503)
    shown_before = happen(principal).payload
    drain()
    assert subscriber.fresh().failing_since is not None
    receiver.script = answer(200)
    services.shift_due(principal.merchant_id, Mode.LIVE, 10_000)
    services.shift_due(principal.merchant_id + 1, Mode.TEST, 10_000)
    assert drain() == 0
    services.shift_due(principal.merchant_id, Mode.TEST, 60)
    assert drain() == 1
    assert Event.objects.get().payload == shown_before
    assert (subscriber.delivery().outcome, subscriber.fresh().failing_since) == ("delivered", None)
    assert [row.response_status for row in DeliveryAttempt.objects.order_by("number")] == [503, 200]


def test_retry_after_moves_the_next_attempt(principal: Principal, subscriber: Subscriber, receiver: Receiver) -> None:
    receiver.script = answer(429, Retry_After="90")
    happen(principal)
    before = now()
    drain()
    due_at = subscriber.delivery().next_attempt_at
    assert due_at is not None
    assert timedelta(seconds=90) <= due_at - before <= timedelta(seconds=95)


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
    shown = {"id": str(gone.pk), "url": receiver.url, "enabled": False, "reason": "gone"}
    assert orjson.loads(news.payload)["data"] == shown
    assert set(Delivery.objects.filter(event=news).values_list("endpoint_id", flat=True)) == {other.endpoint.pk}


@pytest.mark.parametrize(
    ("endpoint", "attempts", "outcome"),
    [({"enabled": False}, 0, "cancelled"), ({"deleted_at": START}, 0, "cancelled"), ({}, 8, "exhausted")],
    ids=["switched off", "deleted", "a worker died with the eighth attempt"],
)
def test_what_is_claimed_and_must_not_be_sent_is_finished_unsent(  # noqa: PLR0913, PLR0917 - a table's columns
    principal: Principal,
    subscriber: Subscriber,
    receiver: Receiver,
    endpoint: dict[str, object],
    attempts: int,
    outcome: str,
) -> None:
    """Proven where it is claimed: switching off through the API cancels what is due, and a last attempt's failure ends
    the schedule, so only rows that a worker held or died with come here.
    """
    happen(principal)
    fan_out()
    known = {subscriber.endpoint.pk}
    assert set(valid_receivers([*known], now())) == known
    Delivery.objects.update(attempts=attempts)
    if endpoint:
        WebhookEndpoint.objects.filter(pk=subscriber.id).update(**endpoint)
        assert valid_receivers([*known], now()) == {}
    assert drain() == 0
    delivery = subscriber.delivery()
    assert (receiver.received, delivery.outcome, delivery.attempts) == ([], outcome, attempts)


FIRST = datetime(2100, 1, 1, tzinfo=UTC)
"""After the endpoint was made, on whatever day that is: events go to endpoints that were there."""
DAYS = 2 * 86_400


@pytest.mark.spec("Contract 11.5; Contract 18.6")
def test_each_attempt_says_its_own_moment_and_no_shifted_one(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    moments = [FIRST, FIRST + timedelta(seconds=40)]
    with time_machine.travel(FIRST, tick=False) as clock:
        event = happen(principal)
        for moment in moments:
            clock.move_to(moment)
            drain()
            services.shift_due(principal.merchant_id, principal.mode, DAYS)
    seconds = [int(moment.timestamp()) for moment in moments]
    body = event.payload.encode()
    assert [request.headers["Svc-Signature"] for request in receiver.received] == [
        f"t={second},v1={sign(subscriber.secret, second, body)}" for second in seconds
    ]
