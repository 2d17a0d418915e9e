"""Deliveries by REST: shown, sent again, recovered, and brought forward by the test clock."""

from datetime import timedelta
from typing import Any

import orjson
import pytest

from core.clock import now, wire_time
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks import services
from webhooks.delivery import drain
from webhooks.delivery.claims import LEASE, claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes
from webhooks.models import Delivery, Event
from webhooks.schedule import RETRY_DELAYS


def path(subscriber: Subscriber, suffix: str = "deliveries") -> str:
    return f"/webhook-endpoints/{subscriber.id}/{suffix}"


def exhaust(principal: Principal) -> None:
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
        **{"id": str(delivery.pk), "event_id": event.id, "event_type": "payment_intent.settled"},
        **{"status": "due", "attempt_count": 1, "finished_at": None},
        "next_attempt_at": wire_time(delivery.next_attempt_at or now()),
        "created_at": wire_time(delivery.created_at),
    }
    said = {"number": 1, "response_status": 500, "response_body": "try later", "error": None}
    assert attempt == {**attempt, **said}
    assert set(attempt) == {*said, "at", "latency_ms", "response_headers"}
    assert attempt["response_headers"]["X-Why"] == "busy"
    assert 0 <= attempt["latency_ms"] < 5000


def test_deliveries_come_in_pages_newest_first_and_are_filtered_by_status(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    def listed(query: str) -> list[str]:
        return [row["id"] for row in api.get(f"{path(subscriber)}?{query}").body["data"]]

    for status in (200, 500, 500, 200, 500):
        receiver.script = answer(status)
        happen(principal)
        drain()
    rows = list(Delivery.objects.order_by("-created_at", "-id"))
    expected = [str(row.pk) for row in rows]
    first = api.get(f"{path(subscriber)}?limit=2")
    assert (first.body["next_cursor"], 'rel="next"' in first.headers["Link"]) == (expected[1], True)
    assert [row["id"] for row in first.body["data"]] == expected[:2]
    assert listed(f"limit=2&starting_after={expected[1]}") == expected[2:4]
    assert listed(f"ending_before={expected[2]}") == expected[:2]
    for query in ("delivered", "due,delivered", "exhausted"):
        assert listed(f"status={query}") == [str(row.pk) for row in rows if row.outcome in query.split(",")], query
    for bad in ("limit=0", "limit=101", "limit=x", "status=lost", "status=", "starting_after=x", "ending_before=x"):
        assert_refused(api.get(f"{path(subscriber)}?{bad}"), 400, "invalid_parameter")


@pytest.mark.spec("Rulings B14.2")
def test_resend_sends_the_same_event_again_under_the_next_number(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    """To no other endpoint, and never to one that is disabled."""
    event, other = happen(principal), subscribe(principal, receiver.url, "ping")
    drain()
    key = subscriber.delivery().pk
    assert api.get(f"{path(other)}?starting_after={key}").status == 400
    refused = api.post(f"{path(other)}/{key}/resend")
    assert (refused.status, refused.body["details"]) == (404, {"resource": "webhook_delivery"})
    for unknown in ("nonsense", "8d0c1f3e-52b7-4b0b-9a51-0c5d3f1f7a11"):
        assert api.post(f"{path(subscriber)}/{unknown}/resend").status == 404
    assert drain() == 0
    reply = api.post(f"{path(subscriber)}/{key}/resend")
    assert (reply.status, reply.body["status"], len(reply.body["attempts"])) == (200, "due", 1)
    drain()
    assert [request.headers["Svc-Attempt"] for request in receiver.received] == ["1", "2"]
    assert {request.body.decode() for request in receiver.received} == {event.payload}
    assert subscriber.delivery().outcome == "delivered"
    api.send("PATCH", f"/webhook-endpoints/{subscriber.id}", {"enabled": False})
    since = {"since": wire_time(now() - timedelta(days=1))}
    for refused in (api.post(f"{path(subscriber)}/{key}/resend"), api.post(path(subscriber, "recover"), since)):
        assert (refused.status, refused.body["code"]) == (409, "webhook_endpoint_disabled")
    assert (subscriber.delivery().outcome, drain()) == ("delivered", 0)


def test_resending_what_waits_brings_it_forward_and_what_is_being_sent_is_not_sent_twice(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    fan_out()
    [under_way] = claim(Lanes())
    resend = f"{path(subscriber)}/{under_way.delivery_id}/resend"
    assert (api.post(resend).status, drain(), receiver.received) == (200, 0, [])
    Delivery.objects.update(leased_until=now() - LEASE)
    drain()
    assert api.post(resend).status == 200
    drain()
    assert [request.headers["Svc-Attempt"] for request in receiver.received] == ["2", "3"]
    exhaust(principal)
    assert len(receiver.received) == 7


@pytest.mark.spec("Rulings B11.2; Rulings B14.2")
def test_recover_sends_what_was_missed_while_disabled_and_wanted_since_the_moment(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    endpoint, since = f"/webhook-endpoints/{subscriber.id}", wire_time(now())
    early = happen(principal)
    Event.objects.filter(pk=early.pk).update(occurred_at=now() - timedelta(hours=2), fanned_out_at=now())
    delivered = happen(principal)
    drain()
    api.send("PATCH", endpoint, {"enabled": False})
    missed = [happen(principal) for _ in range(3)]
    happen(principal, "payout.paid")
    drain()
    api.send("PATCH", endpoint, {"enabled": True, "events": ["payment_intent.*"]})
    drain()
    assert len(receiver.received) == 1
    recover = path(subscriber, "recover")
    reply = api.post(recover, {"since": since}, Idempotency_Key="recover")
    assert (reply.status, reply.body) == (200, {"id": subscriber.id, "scheduled": 3, "has_more": False})
    drain()
    sent = [request.headers["Svc-Event-Id"] for request in receiver.received]
    assert (sent[0], sorted(sent[1:])) == (delivered.id, sorted(event.id for event in missed))
    assert api.post(recover, {"since": since}).body["scheduled"] == 0
    assert api.post(recover, {"since": since}, Idempotency_Key="recover").raw == reply.raw


def test_an_exhausted_delivery_gets_its_whole_schedule_again_by_resend_and_by_recover(
    api: ApiClient, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(500)
    happen(principal)
    exhaust(principal)
    assert (subscriber.delivery().outcome, len(receiver.received)) == ("exhausted", 8)
    assert api.post(f"{path(subscriber)}/{subscriber.delivery().pk}/resend").status == 200
    exhaust(principal)
    assert subscriber.delivery().outcome == "exhausted"
    assert [request.headers["Svc-Attempt"] for request in receiver.received] == [str(n) for n in range(1, 17)]
    receiver.script = answer(200)
    reply = api.post(path(subscriber, "recover"), {"since": wire_time(now() - timedelta(days=9))})
    assert reply.body["scheduled"] == 1
    drain()
    assert subscriber.delivery().outcome == "delivered"
    assert Delivery.objects.count() == 1


def test_a_bad_moment_is_named(api: ApiClient, subscriber: Subscriber) -> None:
    formless = ("yesterday", "2026-01-01", "2026-01-01T00:00:00", "0001-01-01T00:00:00+14:00")
    refused: list[tuple[dict[str, Any], str]] = [
        *(({}, "required"), ({"since": None}, "type"), ({"since": 5}, "type")),
        *(({"since": since}, "format") for since in formless),
        ({"since": "9999-01-01T00:00:00Z"}, "out_of_range"),
        ({"since": "2026-01-01T00:00:00Z", "until": "x"}, "unknown_field"),
    ]
    for body, code in refused:
        reply = api.post(path(subscriber, "recover"), body)
        assert (reply.status, reply.body["code"]) == (400, "invalid_request"), body
        assert [entry["code"] for entry in reply.body["details"]["fields"]] == [code], body


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
