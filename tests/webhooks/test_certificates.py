"""A worker tests a receiver with hostile requests and judges its answers; none of it can be taken for news."""

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from django.test import Client

from core.clock import now
from core.modes import Mode
from core.pauses import Paused, pause
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.machine import PATIENCE_SECONDS
from tests.merchants.people import send_form, text_of
from tests.webhooks.actors import Subscriber, subscribe
from tests.webhooks.receivers import Received, Receiver, Script, answer
from webhooks import battery, services
from webhooks.delivery import certifying
from webhooks.delivery.certifying import certify_receivers
from webhooks.events import retention
from webhooks.models import Delivery, DeliveryAttempt, Event, ReceiverCertificate, WebhookEndpoint
from webhooks.services.certificates import REST
from webhooks.services.upkeep import purge_old_events
from webhooks.signatures import SIGNATURE_HEADER, verify
from webhooks.states import Check

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
ENDPOINTS = "/api/public/v1/webhook-endpoints"
REFUSED = {"stale", "wrong_signature", "altered_body", "unsigned"}
ALL = set(Check.values)


def judged(secret: str, *, good: int = 200, bad: int = 401) -> Script:
    """A receiver that verifies as the guide says."""

    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        last = receiver.received[-1]
        verdict = verify(last.headers.get(SIGNATURE_HEADER, ""), last.body, [secret], int(now().timestamp()))
        answer(good if verdict.valid else bad)(receiver, request)

    return play


def certified(api: ApiClient, endpoint_id: str) -> dict[str, Any]:
    """The report of a battery that is asked for now."""
    asked = api.post(f"{ENDPOINTS}/{endpoint_id}/certify")
    assert (asked.status, asked.body["is_running"]) == (202, True)
    assert certify_receivers() == 1
    reply = api.get(f"{ENDPOINTS}/{endpoint_id}/certificate")
    assert (reply.status, reply.body["is_running"]) == (200, False)
    return dict(reply.body)


def failed(report: dict[str, Any]) -> set[str]:
    checks = report["checks"]
    assert {check["name"] for check in checks} == ALL
    assert report["score"] == sum(check["passed"] is True for check in checks)
    assert report["out_of"] == len(ALL)
    return {str(check["name"]) for check in checks if not check["passed"]}


def test_a_receiver_that_verifies_scores_full(api: ApiClient, receiver: Receiver, subscriber: Subscriber) -> None:
    receiver.script = judged(subscriber.secret)
    report = certified(api, subscriber.id)
    assert failed(report) == set()
    assert report["url"] == receiver.url
    assert len(receiver.received) == 14


def test_nothing_of_it_can_be_taken_for_news(api: ApiClient, receiver: Receiver, subscriber: Subscriber) -> None:
    """No type that a shop acts on, the mode of tests, an id that no event has, and nothing stored."""
    certified(api, subscriber.id)
    events = [json.loads(one.body) for one in receiver.received]
    assert {event["type"] for event in events} == {"ping", "causeway.certificate"}
    assert {event["mode"] for event in events} == {"test"}
    assert {event["id"][:16] for event in events} == {"evt_000000000000"}
    assert {event["data"]["message"] for event in events} == {battery.MESSAGE}
    assert [model.objects.count() for model in (Event, Delivery, DeliveryAttempt)] == [0, 0, 0]


def test_the_requests_are_what_each_check_says(api: ApiClient, receiver: Receiver, subscriber: Subscriber) -> None:
    certified(api, subscriber.id)
    sent = receiver.received
    verdicts = [
        verify(one.headers.get(SIGNATURE_HEADER, ""), one.body, [subscriber.secret], int(now().timestamp())).refusal
        for one in sent
    ]
    assert verdicts == [
        *([None] * 10),
        *("timestamp_outside_tolerance", "signature_mismatch", "signature_mismatch", "header_missing"),
    ]
    genuine, first, again, lost, retried, later, earlier, rotation, unknown, large = sent[:10]
    del genuine
    assert first == again
    assert lost.body == retried.body
    assert [one.headers["Svc-Attempt"] for one in (lost, retried)] == ["1", "2"]
    assert [json.loads(one.body)["sequence"] for one in (later, earlier)] == [2, 1]
    assert json.loads(later.body)["resource"] == json.loads(earlier.body)["resource"]
    assert rotation.headers[SIGNATURE_HEADER].count("v1=") == 2
    assert len(rotation.headers["webhook-signature"].split()) == 2
    assert unknown.headers["Svc-Event-Type"] == "causeway.certificate"
    assert len(json.loads(large.body)["data"]["metadata"]) == 50
    assert 12_000 < len(large.body) < 64 * 1024
    assert [name for name in sent[-1].headers if "signature" in name.lower()] == []


def first_signature_only(secret: str) -> Script:
    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        last = receiver.received[-1]
        parts = last.headers.get(SIGNATURE_HEADER, "").split(",")
        header = ",".join(parts[:2])
        is_good = verify(header, last.body, [secret], int(now().timestamp())).valid
        answer(200 if is_good else 401)(receiver, request)

    return play


def once_only(secret: str) -> Script:
    """Refuses what it has seen, in the place of saying that it is well."""
    seen: set[str] = set()

    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        last = receiver.received[-1]
        event_id = last.headers["Svc-Event-Id"]
        is_known = event_id in seen
        seen.add(event_id)
        (answer(409) if is_known else judged(secret))(receiver, request)

    return play


def never_old(secret: str) -> Script:
    """Trusts every time."""

    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        last = receiver.received[-1]
        header = last.headers.get(SIGNATURE_HEADER, "t=0,v1=0")
        at = int(header.partition(",")[0].removeprefix("t="))
        answer(200 if verify(header, last.body, [secret], at).valid else 401)(receiver, request)

    return play


def strict_about_types(secret: str) -> Script:
    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        is_known = receiver.received[-1].headers["Svc-Event-Type"] == "ping"
        (judged(secret) if is_known else answer(400))(receiver, request)

    return play


def small(secret: str) -> Script:
    def play(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        (judged(secret) if len(receiver.received[-1].body) < 8192 else answer(413))(receiver, request)

    return play


FAULTY: list[tuple[Callable[[str], Script], set[str]]] = [
    (lambda secret: answer(200), REFUSED),
    (lambda secret: answer(401), ALL - REFUSED - {"slow_answer"}),
    (lambda secret: judged(secret, bad=500), REFUSED),
    (lambda secret: judged(secret, good=302), ALL - REFUSED - {"slow_answer"}),
    (first_signature_only, {"rotation"}),
    (never_old, {"stale"}),
    (strict_about_types, {"unknown_type"}),
    (small, {"large_metadata"}),
]


@pytest.mark.parametrize(("script", "wrong"), FAULTY)
def test_each_fault_of_a_receiver_is_found(
    api: ApiClient,
    receiver: Receiver,
    subscriber: Subscriber,
    script: Callable[[str], Script],
    wrong: set[str],
) -> None:
    receiver.script = script(subscriber.secret)
    assert failed(certified(api, subscriber.id)) == wrong


def test_one_that_refuses_what_it_has_seen_is_found(api: ApiClient, receiver: Receiver, subscriber: Subscriber) -> None:
    receiver.script = once_only(subscriber.secret)
    assert failed(certified(api, subscriber.id)) == {"duplicate", "lost_answer"}


def test_one_that_answers_late_is_found(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(battery, "IN_TIME_SECONDS", 0.0)
    receiver.script = judged(subscriber.secret)
    assert failed(certified(api, subscriber.id)) == {"slow_answer"}


def test_the_report_has_the_exact_bytes_that_were_answered_wrong(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber
) -> None:
    receiver.script = never_old(subscriber.secret)
    [check] = [one for one in certified(api, subscriber.id)["checks"] if not one["passed"]]
    [wrong] = check["wrong"]
    stale: Received = receiver.received[10]
    assert wrong["body"].encode() == stale.body
    assert {name: stale.headers[name] for name in wrong["headers"]} == wrong["headers"]
    assert (wrong["status"], wrong["answer_body"], wrong["error"]) == (200, "", None)
    assert check["expected"] == "refused"
    assert check["about"] == Check.STALE.label


def test_a_receiver_that_hangs_or_is_away_ends_it_in_time(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certifying, "RUN_SECONDS", 0.0)
    report = certified(api, subscriber.id)
    assert report["score"] == 1  # no answer was late
    assert failed(report) == ALL - {"slow_answer"}
    assert receiver.received == []
    errors = {one["error"] for check in report["checks"] for one in check["wrong"]}
    assert errors == {"not_sent"}


def test_a_worker_says_that_it_is_alive_while_a_receiver_hangs(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is answered only after the worker was heard of: else it would be taken for dead."""
    heard = threading.Event()

    def wait(receiver: Receiver, request: BaseHTTPRequestHandler) -> None:
        heard.wait(PATIENCE_SECONDS)
        answer(200)(receiver, request)

    monkeypatch.setattr(certifying, "ROUND_SECONDS", 0.01)
    receiver.script = wait
    api.post(f"{ENDPOINTS}/{subscriber.id}/certify")
    assert certify_receivers(each_round=heard.set) == 1
    assert api.get(f"{ENDPOINTS}/{subscriber.id}/certificate").body["score"] == 8


def test_it_has_no_consequence_for_the_endpoint(api: ApiClient, receiver: Receiver, subscriber: Subscriber) -> None:
    receiver.script = answer(410)
    assert "genuine" in failed(certified(api, subscriber.id))
    fresh = subscriber.fresh()
    assert (fresh.enabled, fresh.failing_since) == (True, None)


def test_an_address_that_leads_inside_by_now_is_not_dialled(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.conf.settings.WEBHOOK_LOOPBACK_ALLOWED", False)
    report = certified(api, subscriber.id)
    assert receiver.received == []
    errors = {one["error"] for check in report["checks"] for one in check["wrong"]}
    assert errors == {"url_not_allowed"}


def test_only_its_own_merchant_asks_for_it_or_reads_it(
    api: ApiClient, live_api: ApiClient, other_api: ApiClient, receiver: Receiver, subscriber: Subscriber
) -> None:
    for stranger in (live_api, other_api):
        assert_refused(stranger.post(f"{ENDPOINTS}/{subscriber.id}/certify"), 404, "not_found")
    assert certify_receivers() == 0
    assert_refused(api.get(f"{ENDPOINTS}/{subscriber.id}/certificate"), 404, "not_found")
    certified(api, subscriber.id)
    for stranger in (live_api, other_api):
        assert_refused(stranger.get(f"{ENDPOINTS}/{subscriber.id}/certificate"), 404, "not_found")


def test_one_at_a_time_and_a_minute_from_one_to_the_next(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber
) -> None:
    path = f"{ENDPOINTS}/{subscriber.id}/certify"
    first = api.post(path, Idempotency_Key="one")
    assert api.post(path, Idempotency_Key="one").raw == first.raw
    assert_refused(api.post(path), 409, "certificate_too_soon")
    certify_receivers()
    assert_refused(api.post(path), 409, "certificate_too_soon")
    ReceiverCertificate.objects.update(requested_at=now() - REST - timedelta(seconds=1))
    assert api.post(path).status == 202
    reply = api.get(f"{ENDPOINTS}/{subscriber.id}/certificate")
    assert (reply.body["is_running"], reply.body["out_of"]) == (True, len(ALL))  # the last one stays until then


def test_what_is_off_or_fetched_is_not_tested(api: ApiClient, principal: Principal, subscriber: Subscriber) -> None:
    pulled, _ = services.create_endpoint(principal, services.NewEndpoint(url=None, events=["*"], enabled=True))
    assert_refused(api.post(f"{ENDPOINTS}/{pulled.pk}/certify"), 409, "webhook_endpoint_pulled")
    api.send("PATCH", f"{ENDPOINTS}/{subscriber.id}", {"enabled": False})
    assert_refused(api.post(f"{ENDPOINTS}/{subscriber.id}/certify"), 409, "webhook_endpoint_disabled")


def test_one_that_is_switched_off_meanwhile_is_sent_nothing(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber
) -> None:
    api.post(f"{ENDPOINTS}/{subscriber.id}/certify")
    api.send("PATCH", f"{ENDPOINTS}/{subscriber.id}", {"enabled": False})
    assert certify_receivers() == 1
    assert receiver.received == []
    assert api.get(f"{ENDPOINTS}/{subscriber.id}/certificate").body["score"] == 1


def test_while_sending_is_paused_none_is_tested(api: ApiClient, receiver: Receiver, subscriber: Subscriber) -> None:
    api.post(f"{ENDPOINTS}/{subscriber.id}/certify")
    pause(Paused.SENDING, reason="an exercise", by="tests")
    assert certify_receivers() == 0
    assert receiver.received == []


def test_a_battery_of_a_worker_that_died_is_taken_over_three_times(
    api: ApiClient, receiver: Receiver, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.post(f"{ENDPOINTS}/{subscriber.id}/certify")

    def die(*_: object) -> None:
        raise SystemExit

    monkeypatch.setattr(certifying, "_finish", die)
    for _ in range(3):
        with pytest.raises(SystemExit):
            certify_receivers()
        assert certify_receivers() == 0  # its lease is not over
        ReceiverCertificate.objects.update(due_at=now())
    monkeypatch.undo()
    sent = len(receiver.received)
    assert sent == 3 * 14
    assert certify_receivers() == 1
    assert len(receiver.received) == sent
    assert ReceiverCertificate.objects.get().due_at is None


def test_of_a_merchant_one_is_tested_at_a_time(
    api: ApiClient, principal: Principal, receivers: Callable[[], Receiver]
) -> None:
    made = [subscribe(principal, receivers().url) for _ in range(2)]
    for one in made:
        assert api.post(f"{ENDPOINTS}/{one.id}/certify").status == 202
    assert [certify_receivers() for _ in range(3)] == [1, 1, 0]


def test_receivers_that_hang_hold_one_worker_and_no_second(
    api: ApiClient,
    other_api: ApiClient,
    principal: Principal,
    other_account: NewMerchant,
    receivers: Callable[[], Receiver],
) -> None:
    """Whoever comes while a battery goes on is tested after it: upkeep has other work, and few workers."""
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="test")
    hanging = subscribe(principal, receivers().url)
    theirs = subscribe(stranger, receivers().url)
    assert api.post(f"{ENDPOINTS}/{hanging.id}/certify").status == 202
    held = ReceiverCertificate.objects.get()
    ReceiverCertificate.objects.update(due_at=now() + certifying.LEASE, tries=1)
    assert other_api.post(f"{ENDPOINTS}/{theirs.id}/certify").status == 202
    assert certify_receivers() == 0
    ReceiverCertificate.objects.filter(pk=held.pk).update(due_at=None, finished_at=now())
    assert certify_receivers() == 1


def test_it_goes_with_its_endpoint(api: ApiClient, receiver: Receiver, subscriber: Subscriber) -> None:
    certified(api, subscriber.id)
    api.send("DELETE", f"{ENDPOINTS}/{subscriber.id}")
    WebhookEndpoint.objects.update(deleted_at=now() - retention() - timedelta(days=1))
    purge_old_events()
    assert ReceiverCertificate.objects.count() == 0


def test_the_dashboard_has_a_button_and_shows_what_was_wrong(
    owner: Client, receiver: Receiver, subscriber: Subscriber
) -> None:
    page = f"/dashboard/{Mode.TEST}/webhooks/{subscriber.id}/"
    assert "Nobody has tested this receiver." in text_of(owner.get(page))
    begun = send_form(owner, f"{page}certificate/")
    assert begun.status_code == 302
    assert "A test is under way." in text_of(owner.get(page))
    certify_receivers()
    shown = text_of(owner.get(page))
    assert "8 of 12" in shown
    assert "Failed: A request that another secret signed is refused." in shown
    assert battery.MESSAGE in shown
    again = send_form(owner, f"{page}certificate/")
    assert again.status_code == 400
    assert "Nothing was sent." in text_of(again)
