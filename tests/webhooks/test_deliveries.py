"""GET …/deliveries, POST …/deliveries/{id}/resend and POST …/recover."""

from datetime import timedelta
from typing import Any

import pytest

from core.clock import now, wire_time
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks import services
from webhooks.delivery import drain
from webhooks.delivery.claims import claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes
from webhooks.models import Delivery, Event
from webhooks.schedule import RETRY_DELAYS


def path(subscriber: Subscriber, suffix: str = "deliveries") -> str:
    return f"/webhook-endpoints/{subscriber.id}/{suffix}"


def exhaust(principal: Principal) -> None:
    """Let every attempt of what is due fail."""
    for delay in (*RETRY_DELAYS.delays_seconds, 0):
        drain()
        services.shift_due(principal.merchant_id, principal.mode, delay * 2)


@pytest.mark.spec("Rulings B11.2")
def test_a_delivery_shows_its_attempts(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500, b"try later", X_Why="busy")
    event = happen(principal)
    drain()
    [shown] = api.get(path(subscriber)).body["data"]
    delivery = subscriber.delivery()
    [attempt] = shown.pop("attempts")
    assert shown == {
        "id": str(delivery.pk),
        "event_id": event.id,
        "event_type": "payment_intent.settled",
        "status": "due",
        "attempt_count": 1,
        "next_attempt_at": wire_time(delivery.next_attempt_at or now()),
        "created_at": wire_time(delivery.created_at),
        "finished_at": None,
    }
    assert set(attempt) == {
        *("number", "at", "latency_ms", "response_status", "response_headers", "response_body", "error")
    }
    assert (attempt["number"], attempt["response_status"], attempt["response_body"], attempt["error"]) == (
        1,
        500,
        "try later",
        None,
    )
    assert attempt["response_headers"]["X-Why"] == "busy"
    assert 0 <= attempt["latency_ms"] < 5000


def test_deliveries_come_in_pages_newest_first(api: ApiClient, principal: Principal, subscriber: Subscriber) -> None:
    for _ in range(5):
        happen(principal)
    fan_out()
    expected = [str(row.pk) for row in Delivery.objects.order_by("-created_at", "-id")]
    seen: list[str] = []
    reply = api.get(path(subscriber) + "?limit=2")
    while True:
        seen += [row["id"] for row in reply.body["data"]]
        if not reply.body["has_more"]:
            break
        assert 'rel="next"' in reply.headers["Link"]
        reply = api.get(f"{path(subscriber)}?limit=2&starting_after={reply.body['next_cursor']}")
    assert seen == expected
    back = api.get(f"{path(subscriber)}?ending_before={expected[2]}")
    assert [row["id"] for row in back.body["data"]] == expected[:2]


def test_deliveries_are_filtered_by_status(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    happen(principal)
    drain()
    receiver.script = answer(500)
    happen(principal)
    drain()

    def statuses(query: str) -> list[str]:
        return sorted(row["status"] for row in api.get(f"{path(subscriber)}?status={query}").body["data"])

    assert statuses("delivered") == ["delivered"]
    assert statuses("due,delivered") == ["delivered", "due"]
    assert statuses("exhausted") == []


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=101", "limit=x", "status=lost", "status=", "starting_after=x", "ending_before=x"]
)
def test_a_bad_query_is_refused(api: ApiClient, subscriber: Subscriber, query: str) -> None:
    reply = api.get(f"{path(subscriber)}?{query}")
    assert (reply.status, reply.body["code"]) == (400, "invalid_parameter")


def test_another_endpoint_s_delivery_is_no_cursor_and_not_resent(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    other = subscribe(principal, receiver.url, "ping")
    happen(principal)
    drain()
    key = subscriber.delivery().pk
    assert api.get(f"{path(other)}?starting_after={key}").status == 400
    reply = api.post(f"{path(other)}/{key}/resend")
    assert (reply.status, reply.body["details"]) == (404, {"resource": "webhook_delivery"})
    assert len(receiver.received) == 1


def test_resend_sends_the_same_event_again_under_the_next_number(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    event = happen(principal)
    drain()
    reply = api.post(f"{path(subscriber)}/{subscriber.delivery().pk}/resend")
    assert (reply.status, reply.body["status"], len(reply.body["attempts"])) == (200, "due", 1)
    drain()
    assert [request.headers["Svc-Attempt"] for request in receiver.received] == ["1", "2"]
    assert {request.body.decode() for request in receiver.received} == {event.payload}
    assert subscriber.delivery().outcome == "delivered"


def test_an_exhausted_delivery_gets_its_whole_schedule_again(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    exhaust(principal)
    assert subscriber.delivery().outcome == "exhausted"
    assert len(receiver.received) == 8
    assert api.post(f"{path(subscriber)}/{subscriber.delivery().pk}/resend").status == 200
    exhaust(principal)
    assert subscriber.delivery().outcome == "exhausted"
    assert [request.headers["Svc-Attempt"] for request in receiver.received] == [str(n) for n in range(1, 17)]


def test_resending_what_waits_brings_it_forward_without_more_attempts(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    drain()
    assert api.post(f"{path(subscriber)}/{subscriber.delivery().pk}/resend").status == 200
    drain()
    assert len(receiver.received) == 2
    exhaust(principal)
    assert len(receiver.received) == 8


def test_resending_what_is_being_sent_does_not_send_it_twice(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    happen(principal)
    fan_out()
    [under_way] = claim(Lanes())
    assert api.post(f"{path(subscriber)}/{under_way.delivery_id}/resend").status == 200
    assert drain() == 0
    assert receiver.received == []


@pytest.mark.spec("Rulings B14.2")
@pytest.mark.parametrize("action", ["resend", "recover"])
def test_nothing_is_sent_again_to_a_disabled_endpoint(
    api: ApiClient, principal: Principal, subscriber: Subscriber, action: str
) -> None:
    happen(principal)
    drain()
    key = subscriber.delivery().pk
    api.send("PATCH", f"/webhook-endpoints/{subscriber.id}", {"enabled": False})
    reply = (
        api.post(f"{path(subscriber)}/{key}/resend")
        if action == "resend"
        else api.post(path(subscriber, "recover"), {"since": wire_time(now() - timedelta(days=1))})
    )
    assert (reply.status, reply.body["code"]) == (409, "webhook_endpoint_disabled")
    assert subscriber.delivery().outcome == "delivered"


@pytest.mark.parametrize("key", ["nonsense", "8d0c1f3e-52b7-4b0b-9a51-0c5d3f1f7a11"])
def test_an_unknown_delivery_is_not_found(api: ApiClient, subscriber: Subscriber, key: str) -> None:
    assert api.post(f"{path(subscriber)}/{key}/resend").status == 404


@pytest.mark.spec("Rulings B11.2; Rulings B14.2")
def test_recover_sends_what_was_missed_while_disabled(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    endpoint = f"/webhook-endpoints/{subscriber.id}"
    before = wire_time(now())
    delivered = happen(principal)
    drain()
    api.send("PATCH", endpoint, {"enabled": False})
    missed = [happen(principal) for _ in range(3)]
    drain()
    assert len(receiver.received) == 1
    api.send("PATCH", endpoint, {"enabled": True})
    drain()
    assert len(receiver.received) == 1
    reply = api.post(path(subscriber, "recover"), {"since": before}, Idempotency_Key="recover")
    assert (reply.status, reply.body) == (200, {"id": subscriber.id, "scheduled": 3, "has_more": False})
    drain()
    assert {request.headers["Svc-Event-Id"] for request in receiver.received} == {
        delivered.id,
        *(event.id for event in missed),
    }
    assert len(receiver.received) == 4
    again = api.post(path(subscriber, "recover"), {"since": before})
    assert again.body["scheduled"] == 0
    replayed = api.post(path(subscriber, "recover"), {"since": before}, Idempotency_Key="recover")
    assert replayed.raw == reply.raw


def test_recover_takes_wanted_types_since_the_moment_of_this_merchant_and_mode(
    api: ApiClient, principal: Principal, receiver: Receiver
) -> None:
    early = happen(principal)
    Event.objects.filter(pk=early.pk).update(occurred_at=now() - timedelta(hours=2))
    happen(principal, "payout.paid")
    wanted = happen(principal)
    drain()
    made = subscribe(principal, receiver.url, "payment_intent.*")
    reply = api.post(path(made, "recover"), {"since": wire_time(now() - timedelta(hours=1))})
    assert reply.body["scheduled"] == 1
    drain()
    assert [request.headers["Svc-Event-Id"] for request in receiver.received] == [wanted.id]


def test_recover_restarts_what_was_given_up(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    exhaust(principal)
    receiver.script = answer(200)
    reply = api.post(path(subscriber, "recover"), {"since": wire_time(now() - timedelta(days=2))})
    assert reply.body["scheduled"] == 1
    drain()
    assert subscriber.delivery().outcome == "delivered"
    assert Delivery.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "required"),
        ({"since": None}, "type"),
        ({"since": 5}, "type"),
        ({"since": "yesterday"}, "format"),
        ({"since": "2026-01-01"}, "format"),
        ({"since": "2026-01-01T00:00:00"}, "format"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "format"),
        ({"since": "9999-01-01T00:00:00Z"}, "out_of_range"),
        ({"since": "2026-01-01T00:00:00Z", "until": "x"}, "unknown_field"),
    ],
)
def test_a_bad_moment_is_named(api: ApiClient, subscriber: Subscriber, body: Any, code: str) -> None:
    reply = api.post(path(subscriber, "recover"), body)
    assert (reply.status, reply.body["code"]) == (400, "invalid_request")
    assert [entry["code"] for entry in reply.body["details"]["fields"]] == [code]
