"""Endpoints without a URL: what they are sent is fetched, signed as if it were posted, and answered."""

from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.db.models import F

from core.clock import now
from core.modes import Mode
from core.pauses import Paused, pause, resume
from merchants.principal import Principal
from operations.readiness import QUEUES
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.webhooks.actors import happen, subscribe
from webhooks import services
from webhooks.delivery import drain
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.pulling import LEASE
from webhooks.due_endpoints import neglected_since
from webhooks.models import Delivery, DeliveryAttempt, Event, WebhookEndpoint
from webhooks.services.upkeep import FAILING_FOR
from webhooks.signatures import verify

PATH = "/webhook-endpoints"


class Pulled:
    """A pull endpoint of the first merchant, over the API alone."""

    def __init__(self, api: ApiClient, *events: str) -> None:
        made = api.post(PATH, {"kind": "pull", "events": list(events) or ["*"]})
        assert made.status == 201, made.raw
        self.api, self.secret, self.body = api, made.body["secret"], made.body
        self.path = f"{PATH}/{made.body['id']}"

    def pull(self, query: str = "") -> list[dict[str, Any]]:
        reply = self.api.get(f"{self.path}/pull{query}")
        assert reply.status == 200, reply.raw
        found: list[dict[str, Any]] = reply.body["data"]
        return found

    def answer(self, given: dict[str, Any], status: int = 200, **more: Any) -> Reply:
        body = {"delivery_id": given["delivery_id"], "attempt": given["attempt"], "status": status, "latency_ms": 12}
        return self.api.post(f"{self.path}/answer", {**body, **more})

    def delivery(self) -> Delivery:
        return Delivery.objects.get(endpoint=self.body["id"])


@pytest.fixture
def pulled(api: ApiClient) -> Pulled:
    return Pulled(api)


def let_leases_end() -> None:
    Delivery.objects.filter(leased_until__isnull=False).update(leased_until=F("leased_until") - LEASE)


def test_an_endpoint_without_a_url_says_so_and_has_a_secret(pulled: Pulled, api: ApiClient) -> None:
    assert (pulled.body["kind"], pulled.body["url"], pulled.body["enabled"]) == ("pull", None, True)
    assert pulled.secret.startswith("whsec_")
    shown = api.get(pulled.path).body
    assert (shown["kind"], shown["url"]) == ("pull", None)
    pushed = api.post(PATH, {"url": "https://hooks.shop.example/", "events": ["*"]}).body
    assert (pushed["kind"], pushed["url"]) == ("push", "https://hooks.shop.example/")


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"kind": "pull", "url": "https://hooks.shop.example/"}, "url", "unknown_field"),
        ({"kind": "push"}, "url", "required"),
        ({}, "url", "required"),
        ({"kind": "poll"}, "kind", "unknown_value"),
        ({"kind": None}, "kind", "type"),
    ],
)
def test_a_url_is_named_exactly_where_one_is_needed(
    api: ApiClient, body: dict[str, Any], field: str, code: str
) -> None:
    reply = api.post(PATH, {"events": ["*"], **body})
    assert_refused(reply, 400, "invalid_request")
    assert [(one["field"], one["code"]) for one in reply.body["details"]["fields"]] == [(field, code)]
    assert not WebhookEndpoint.objects.exists()


def test_it_gets_no_url_later(pulled: Pulled, api: ApiClient) -> None:
    reply = api.send("PATCH", pulled.path, {"url": "https://hooks.shop.example/"})
    assert_refused(reply, 400, "webhook_url_not_allowed")
    assert reply.body["details"] == {"reason": "pull_endpoint"}
    assert api.send("PATCH", pulled.path, {"events": ["ping"]}).body["events"] == ["ping"]


def test_what_is_fetched_is_signed_and_what_is_answered_is_delivered(pulled: Pulled, principal: Principal) -> None:
    event = happen(principal)
    fan_out()
    [given] = pulled.pull()
    delivery = pulled.delivery()
    assert (given["delivery_id"], given["event_id"], given["attempt"]) == (str(delivery.pk), event.id, 1)
    assert given["body"] == event.payload
    headers = given["headers"]
    assert (headers["Svc-Event-Id"], headers["Svc-Delivery-Id"], headers["Svc-Attempt"]) == (
        *(event.id, str(delivery.pk)),
        "1",
    )
    seconds = int(now().timestamp())
    assert verify(headers["Svc-Signature"], given["body"].encode(), [pulled.secret], seconds).valid
    assert pulled.pull() == []
    reply = pulled.answer(given, 204, body="thanks")
    assert (reply.status, reply.body["status"], reply.body["attempt_count"]) == (200, "delivered", 1)
    [attempt] = reply.body["attempts"]
    assert (attempt["number"], attempt["response_status"], attempt["response_body"], attempt["latency_ms"]) == (
        *(1, 204),
        *("thanks", 12),
    )
    let_leases_end()
    assert pulled.pull() == []


def test_during_a_rotation_two_signatures_are_made_when_it_is_fetched(pulled: Pulled, principal: Principal) -> None:
    happen(principal)
    fan_out()
    newer = pulled.api.post(f"{pulled.path}/rotate-secret").body["secret"]
    [given] = pulled.pull()
    header, seconds = given["headers"]["Svc-Signature"], int(now().timestamp())
    assert header.count("v1=") == 2
    for secret in (pulled.secret, newer):
        assert verify(header, given["body"].encode(), [secret], seconds).valid


def test_a_refusal_is_tried_again_by_the_schedule_and_given_up_after_eight(
    pulled: Pulled, principal: Principal
) -> None:
    happen(principal)
    fan_out()
    for number in range(1, 9):
        [given] = pulled.pull()
        assert given["attempt"] == number
        before = now()
        reply = pulled.answer(given, 500)
        assert pulled.pull() == []
        if number == 1:
            planned = pulled.delivery().planned_at
            assert planned is not None
            assert timedelta(seconds=26) < planned - before < timedelta(seconds=34)
            assert reply.body["next_attempt_at"].startswith("20")
        Delivery.objects.filter(pull_at__isnull=False).update(pull_at=now())
    assert (reply.body["status"], reply.body["next_attempt_at"]) == ("exhausted", None)
    assert pulled.pull() == []
    assert pulled.api.post(f"{pulled.path}/deliveries/{given['delivery_id']}/resend").body["status"] == "due"
    [again] = pulled.pull()
    assert again["attempt"] == 9
    assert pulled.answer(again).body["status"] == "delivered"


def test_what_nobody_answered_is_given_out_again_and_costs_none_of_the_eight(
    pulled: Pulled, principal: Principal
) -> None:
    happen(principal)
    fan_out()
    for number in range(1, 31):
        [given] = pulled.pull()
        assert given["attempt"] == number
        assert pulled.pull() == []
        let_leases_end()
    assert pulled.answer(given, 503).body["status"] == "due"
    Delivery.objects.update(pull_at=now())
    [given] = pulled.pull()
    assert pulled.answer(given).body["status"] == "delivered"


def test_an_answer_that_comes_twice_counts_once_and_a_late_one_does_not_decide(
    pulled: Pulled, principal: Principal
) -> None:
    happen(principal)
    fan_out()
    [first] = pulled.pull()
    let_leases_end()
    [second] = pulled.pull()
    assert pulled.answer(first, 500).body["status"] == "due"
    planned = pulled.delivery().planned_at
    assert pulled.answer(first, 200).body["status"] == "due"
    assert (pulled.delivery().planned_at, DeliveryAttempt.objects.count()) == (planned, 1)
    for status in (500, 200, 200):
        reply = pulled.answer(second, status)
        assert (reply.body["status"], len(reply.body["attempts"])) == ("due", 2)
    assert_refused(pulled.answer({**second, "attempt": 3}), 400, "invalid_request")
    assert_refused(pulled.answer({**second, "delivery_id": "x"}), 404, "not_found")


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"status": 99}, "status"),
        ({"status": "200"}, "status"),
        ({"error": "timeout"}, "status"),
        ({"attempt": 0}, "attempt"),
        ({"latency_ms": -1}, "latency_ms"),
        ({"body": 5}, "body"),
        ({"headers": {}}, "headers"),
    ],
)
def test_an_answer_is_checked(pulled: Pulled, principal: Principal, more: dict[str, Any], field: str) -> None:
    happen(principal)
    fan_out()
    [given] = pulled.pull()
    reply = pulled.answer(given, **more)
    assert_refused(reply, 400, "invalid_request")
    assert [one["field"] for one in reply.body["details"]["fields"]] == [field]


def test_where_nothing_answered_the_word_for_why_is_kept(pulled: Pulled, principal: Principal) -> None:
    happen(principal)
    fan_out()
    [given] = pulled.pull()
    body = {"delivery_id": given["delivery_id"], "attempt": 1, "error": "connection_failed"}
    reply = pulled.api.post(f"{pulled.path}/answer", body)
    assert (reply.body["attempts"][0]["error"], reply.body["attempts"][0]["response_status"]) == (
        "connection_failed",
        None,
    )


def test_workers_and_readiness_leave_it_alone(pulled: Pulled, principal: Principal) -> None:
    happen(principal)
    assert drain() == 0
    Delivery.objects.update(pull_at=now() - timedelta(days=1))
    assert drain() == 0
    assert (neglected_since(), QUEUES["deliveries"]()) == (None, None)
    [given] = pulled.pull()
    assert given["attempt"] == 1


def test_only_what_is_wanted_and_due_comes_the_oldest_first_and_as_many_as_are_asked_for(
    api: ApiClient, principal: Principal
) -> None:
    pulled = Pulled(api, "refund.*")
    events = []
    for name in ("refund.created", "payment_intent.created", "refund.paid", "refund.failed"):
        events.append(happen(principal, name))
        fan_out()
    wanted = [events[0].id, events[2].id, events[3].id]
    Delivery.objects.filter(event=events[0]).update(pull_at=now() - timedelta(seconds=2))
    Delivery.objects.filter(event=events[2]).update(pull_at=now() - timedelta(seconds=1))
    reply = api.get(f"{pulled.path}/pull?limit=2")
    assert ([one["event_id"] for one in reply.body["data"]], reply.body["has_more"]) == (wanted[:2], True)
    reply = api.get(f"{pulled.path}/pull?limit=2")
    assert ([one["event_id"] for one in reply.body["data"]], reply.body["has_more"]) == (wanted[2:], False)
    for query in ("limit=0", "limit=21"):
        assert_refused(api.get(f"{pulled.path}/pull?{query}"), 400, "invalid_parameter")
    assert api.send("HEAD", f"{pulled.path}/pull").status == 405


def test_nobody_else_fetches_or_answers(
    pulled: Pulled, principal: Principal, live_api: ApiClient, other_api: ApiClient
) -> None:
    happen(principal)
    fan_out()
    [given] = pulled.pull()
    let_leases_end()
    for stranger in (live_api, other_api):
        assert_refused(stranger.get(f"{pulled.path}/pull"), 404, "not_found")
        body = {"delivery_id": given["delivery_id"], "attempt": 1, "status": 200}
        assert_refused(stranger.post(f"{pulled.path}/answer", body), 404, "not_found")
        own = stranger.post(PATH, {"kind": "pull", "events": ["*"]}).body["id"]
        assert stranger.get(f"{PATH}/{own}/pull").body["data"] == []
        assert_refused(stranger.post(f"{PATH}/{own}/answer", body), 404, "not_found")
    beside = Pulled(pulled.api)
    assert_refused(beside.answer(given), 404, "not_found")
    assert pulled.delivery().outcome == "due"
    assert principal.mode == Mode.TEST


def test_what_is_posted_is_not_fetched_and_what_is_off_gives_nothing(pulled: Pulled, principal: Principal) -> None:
    pushed = subscribe(principal, "https://hooks.shop.example/")
    assert_refused(pulled.api.get(f"{PATH}/{pushed.id}/pull"), 409, "webhook_endpoint_not_pulled")
    body = {"delivery_id": pushed.id, "attempt": 1, "status": 200}
    assert_refused(pulled.api.post(f"{PATH}/{pushed.id}/answer", body), 409, "webhook_endpoint_not_pulled")
    happen(principal)
    fan_out()
    pulled.api.send("PATCH", pulled.path, {"enabled": False})
    assert_refused(pulled.api.get(f"{pulled.path}/pull"), 409, "webhook_endpoint_disabled")
    assert pulled.delivery().outcome == "cancelled"
    pulled.api.send("PATCH", pulled.path, {"enabled": True})
    assert pulled.pull() == []
    since = (now() - timedelta(hours=1)).isoformat()
    assert pulled.api.post(f"{pulled.path}/recover", {"since": since}).body["scheduled"] == 1
    assert len(pulled.pull()) == 1


def test_a_pause_of_sending_holds_it_too(pulled: Pulled, principal: Principal) -> None:
    happen(principal)
    fan_out()
    pause(Paused.SENDING, reason="a receiver is flooded", by="root@service.example")
    assert pulled.pull() == []
    resume(Paused.SENDING, by="root@service.example")
    assert len(pulled.pull()) == 1


def test_gone_switches_it_off_and_failing_does_not(pulled: Pulled, principal: Principal) -> None:
    happen(principal)
    fan_out()
    [given] = pulled.pull()
    pulled.answer(given, 500)
    WebhookEndpoint.objects.update(failing_since=now() - 2 * FAILING_FOR)
    assert services.disable_failing_endpoints() == 0
    assert services.tell_teams() == 0
    Delivery.objects.update(pull_at=now())
    [given] = pulled.pull()
    pulled.answer(given, 410)
    shown = pulled.api.get(pulled.path).body
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "gone")
    news = orjson.loads(Event.objects.get(type="webhook_endpoint.disabled").payload)["data"]
    assert news == {"id": pulled.body["id"], "url": None, "enabled": False, "reason": "gone"}


def test_the_test_clock_brings_the_next_attempt_forward(pulled: Pulled, principal: Principal) -> None:
    happen(principal)
    fan_out()
    [given] = pulled.pull()
    pulled.answer(given, 500)
    pulled.api.post("/test-helpers/clock/advance", {"seconds": 60})
    assert len(pulled.pull()) == 1
    assert drain() == 0


def test_what_nobody_fetches_goes_with_its_event(pulled: Pulled, principal: Principal) -> None:
    old, young = happen(principal), happen(principal)
    fan_out()
    month = timedelta(days=30)
    moment = now() - 2 * month
    Event.objects.filter(pk=old.pk).update(occurred_at=moment, kept_until=moment + month)
    Delivery.objects.filter(event_id=old.pk).update(event_at=moment)
    services.purge_old_events()
    assert list(Event.objects.values_list("pk", flat=True)) == [young.pk]
    assert [one["event_id"] for one in pulled.pull()] == [young.pk]
