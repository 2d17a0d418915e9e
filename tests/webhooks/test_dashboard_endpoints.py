"""Endpoints on the dashboard: made once, shown once, changed by the right people, and put down in the audit."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from core.clock import now
from core.modes import Mode
from dashboard.home import steps_of, tasks_of
from dashboard.search import SEARCHES
from dashboard.visit import Visit
from merchants.models import Change, Role
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.merchants.people import (
    OWNER,
    add_member,
    add_second_factor,
    confirm_identity,
    field_value,
    send_form,
    sign_in,
    text_of,
)
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver
from webhooks.delivery.rounds import drain
from webhooks.models import Delivery, SigningSecret, WebhookEndpoint
from webhooks.selectors import valid_secrets
from webhooks.signatures import verify

pytestmark = pytest.mark.slow
LIST = "/dashboard/test/webhooks/"
NEW = f"{LIST}new/"
PUBLIC = "https://8.8.8.8/hook"


@pytest.fixture
def quiet(principal: Principal) -> Subscriber:
    """An endpoint to which nothing is ever sent by these tests."""
    return subscribe(principal, PUBLIC)


def fill_in(client: Client, key: str = "", **fields: Any) -> Any:
    shown = key or field_value(client.get(NEW), "form_key")
    return send_form(client, NEW, form_key=shown, **{"url": PUBLIC, "events": "*", **fields})


def is_ticked(visit: Visit) -> bool:
    [done] = [done for step, done in steps_of(visit) if step.title == "Receive a webhook"]
    return done


def deeds() -> list[tuple[str, str]]:
    return list(Change.objects.filter(action__startswith="endpoint.").order_by("pk").values_list("action", "actor"))


@pytest.mark.spec("Webhook endpoints: POST")
def test_an_endpoint_is_made_and_its_secret_shown_once(owner: Client, account: NewMerchant) -> None:
    answer = fill_in(owner, events=["payment_intent.*", "ping"])
    secret = field_value(answer, "signing-secret")
    endpoint = WebhookEndpoint.objects.get()
    assert (answer.status_code, "no-store" in answer.headers["Cache-Control"]) == (200, True)
    assert valid_secrets(endpoint) == [secret]
    assert (endpoint.url, endpoint.events, endpoint.enabled) == (PUBLIC, ["payment_intent.*", "ping"], True)
    for path in (LIST, f"{LIST}{endpoint.pk}/", f"{LIST}{endpoint.pk}/secret/"):
        assert secret not in text_of(owner.get(path))
    assert secret not in str(dict(owner.session))
    assert deeds() == [("endpoint.created", f"user:{account.owner.pk}")]
    assert secret not in str(list(Change.objects.values()))


def test_a_form_sent_twice_makes_one_and_sixteen_are_enough(owner: Client, principal: Principal) -> None:
    key = field_value(owner.get(NEW), "form_key")
    fill_in(owner, key)
    again = fill_in(owner, key)
    assert again.headers["Location"] == LIST
    assert "This form was sent before, and made one endpoint." in text_of(owner.get(LIST))
    assert WebhookEndpoint.objects.count() == SigningSecret.objects.count() == 1
    for _ in range(15):
        subscribe(principal, f"{PUBLIC}/more")
    assert "All 16 endpoints of test mode are in use." in text_of(owner.get(LIST))
    answer = fill_in(owner)
    assert (answer.status_code, "already 16 webhook endpoints" in text_of(answer)) == (400, True)
    assert WebhookEndpoint.objects.count() == 16


def test_a_form_that_makes_no_sense_is_told_why(owner: Client, principal: Principal) -> None:
    subscribe(principal, f"{PUBLIC}/taken")
    key = field_value(owner.get(NEW), "form_key")
    before = all_rows()
    senseless: list[tuple[dict[str, Any], str]] = [
        ({"url": ""}, "Say where events are to be posted."),
        ({"url": "https://192.168.1.1/"}, "The URL must point to a public address."),
        ({"url": "ftp://shop.test/x"}, "The URL must start with https://."),
        ({"url": "javascript:alert(1)"}, "The URL must be an absolute URL"),
        ({"url": "https://user:pw@8.8.8.8/"}, "The URL must not contain a user name or password."),
        ({"url": "https://8.8.8.8/" + "x" * 3000}, "The URL must be an absolute URL"),
        ({"url": f"{PUBLIC}/taken"}, "Another webhook endpoint of this mode has this URL already."),
        ({"events": []}, "Choose at least one event."),
        ({"events": ["payment_intent.exploded"]}, "One of these events does not exist."),
        ({"form_key": ""}, "This form is not one of ours."),
        ({"form_key": "00000000-0000-1000-8000-000000000000"}, "This form is not one of ours."),
    ]
    for fields, words in senseless:
        answer = send_form(owner, NEW, **{"form_key": key, "url": PUBLIC, "events": ["*"], **fields})
        assert (answer.status_code, words in text_of(answer)) == (400, True), fields
    assert all_rows() == before


@pytest.mark.spec("Limits: previous signing secret validity")
def test_rotating_shows_the_new_secret_once_and_both_ages(
    owner: Client, account: NewMerchant, quiet: Subscriber
) -> None:
    path = f"{LIST}{quiet.id}/secret/"
    shown = field_value(owner.get(path), "shown_secret_id")
    for another in ("", "x", "-1", "٣", "9" * 30):
        assert send_form(owner, path, shown_secret_id=another).status_code == 302
        assert valid_secrets(quiet.fresh()) == [quiet.secret]
    answer = send_form(owner, path, shown_secret_id=shown)
    secret = field_value(answer, "signing-secret")
    assert valid_secrets(quiet.fresh()) == [secret, quiet.secret]
    ends = SigningSecret.objects.get(expires_at__isnull=False).expires_at
    assert ends is not None
    assert f'signs along until <time datetime="{ends.isoformat(timespec="microseconds")}"' in text_of(answer)
    again = send_form(owner, path, shown_secret_id=shown)
    assert again.headers["Location"] == f"{LIST}{quiet.id}/"
    assert "This secret was rotated after the page was shown." in text_of(owner.get(f"{LIST}{quiet.id}/"))
    assert valid_secrets(quiet.fresh()) == [secret, quiet.secret]
    assert deeds()[-1] == ("endpoint.secret_rotated", f"user:{account.owner.pk}")
    with time_machine.travel(ends + timedelta(minutes=1), tick=False):
        confirm_identity(owner)
        assert "signs along until" not in text_of(owner.get(path))


def test_an_endpoint_is_changed_switched_off_and_deleted_after_asking(owner: Client, quiet: Subscriber) -> None:
    path = f"{LIST}{quiet.id}/edit/"
    send_form(owner, path, url=f"{PUBLIC}/new", events="refund.*", enabled="on")
    endpoint = quiet.fresh()
    assert (endpoint.url, endpoint.events, endpoint.enabled) == (f"{PUBLIC}/new", ["refund.*"], True)
    send_form(owner, path, url=f"{PUBLIC}/new", events="refund.*")
    assert (quiet.fresh().enabled, quiet.fresh().disabled_reason) == (False, "by_merchant")
    assert "Your team switched it off." in text_of(owner.get(LIST))
    send_form(owner, path, url=f"{PUBLIC}/new", events="refund.*")
    first, second = Change.objects.filter(action="endpoint.changed").order_by("pk").values_list("before", "after")
    assert first[0] == {"url": PUBLIC, "events": ["*"], "enabled": True}
    assert (second[0]["enabled"], second[1]["enabled"]) == (True, False)
    path = f"{LIST}{quiet.id}/delete/"
    assert "This cannot be undone" in text_of(owner.get(path))
    assert quiet.fresh().deleted_at is None
    assert send_form(owner, path).headers["Location"] == LIST
    assert (quiet.fresh().deleted_at is None, SigningSecret.objects.count()) == (False, 0)
    assert owner.get(path).status_code == 404
    assert [deed for deed, _ in deeds()][-1] == "endpoint.deleted"


def test_rest_puts_the_same_down(api: ApiClient) -> None:
    made = api.post("/webhook-endpoints", {"url": PUBLIC, "events": ["*"]}).body["id"]
    api.send("PATCH", f"/webhook-endpoints/{made}", {"enabled": False})
    api.send("PATCH", f"/webhook-endpoints/{made}", {"enabled": False})
    api.post(f"/webhook-endpoints/{made}/rotate-secret")
    api.send("DELETE", f"/webhook-endpoints/{made}")
    said = deeds()
    assert [deed.partition(".")[2] for deed, _ in said] == ["created", "changed", "secret_rotated", "deleted"]
    assert {actor.partition(":")[0] for _, actor in said} == {"key"}
    assert "whsec_" not in str(list(Change.objects.values()))


def test_onlookers_are_led_to_no_form(account: NewMerchant, quiet: Subscriber) -> None:
    for role in (Role.SUPPORT, Role.VIEWER):
        add_member(account.merchant, f"{role}@shop.example", role)
        client = sign_in(f"{role}@shop.example")
        page = text_of(client.get(LIST)) + text_of(client.get(f"{LIST}{quiet.id}/"))
        assert [link for link in ("/new/", "/edit/", "/delete/", "/secret/") if link in page] == []
        assert (f"{quiet.id}/test/" in page) == (role == Role.SUPPORT)


def test_endpoints_that_need_somebody_are_named_and_all_are_found_by_id(
    account: NewMerchant, principal: Principal, quiet: Subscriber
) -> None:
    visit = Visit(person=account.owner, merchant=account.merchant, role=Role.OWNER, principal=principal)
    states: list[tuple[dict[str, Any], str]] = [
        ({"failing_since": "2026-01-01T00:00:00Z"}, "Webhook endpoints are failing."),
        ({"enabled": False, "disabled_reason": "failing"}, "Webhook endpoints were switched off."),
        ({"enabled": False, "disabled_reason": "gone"}, "Webhook endpoints were switched off."),
        ({"enabled": False, "disabled_reason": "by_merchant"}, ""),
    ]
    for state, words in states:
        WebhookEndpoint.objects.filter(pk=quiet.id).update(**{"failing_since": None, **state})
        needs = [need for need in tasks_of(visit) if "ebhook" in need.words]
        assert [(need.words, need.url) for need in needs] == ([(words, LIST)] if words else [])
    event = happen(principal)
    delivery = Delivery.objects.create(
        merchant=account.merchant, mode="test", event=event, endpoint=quiet.endpoint, next_attempt_at=now()
    )
    for text, hits in {
        event.pk: [("Event", f"/dashboard/test/events/{event.pk}/")],
        str(delivery.pk): [("Delivery", f"{LIST}deliveries/{delivery.pk}/")],
        quiet.id: [("Webhook endpoint", f"{LIST}{quiet.id}/")],
        "evt_": [],
    }.items():
        assert [(hit.kind, hit.url) for search in SEARCHES for hit in search(visit, text)] == hits


def test_a_test_event_goes_to_one_endpoint_and_ticks_the_step(
    owner: Client, account: NewMerchant, principal: Principal, receiver: Receiver
) -> None:
    mine, other = subscribe(principal, receiver.url, "refund.*"), subscribe(principal, receiver.url)
    visit = Visit(person=account.owner, merchant=account.merchant, role=Role.OWNER, principal=principal)
    assert not is_ticked(visit)
    answer = send_form(owner, f"{LIST}{mine.id}/test/", type="payout.paid")
    drain()
    [got] = receiver.wait_for(1)
    signed = verify(got.headers["Svc-Signature"], got.body, [mine.secret], int(now().timestamp()))
    assert (signed.valid, got.headers["Svc-Event-Type"]) == (True, "payout.paid")
    assert not Delivery.objects.filter(endpoint=other.endpoint).exists()
    assert is_ticked(visit)
    page = text_of(owner.get(answer.headers["Location"]))
    assert "payout.paid" in page
    assert '<span class="pill" data-tone="ok">200</span>' in page


def test_live_endpoints_are_sent_pings_only(owner: Client, account: NewMerchant) -> None:
    add_second_factor(OWNER)
    mine = subscribe(Principal(merchant_id=account.merchant.pk, mode=Mode.LIVE, actor="test"), PUBLIC)
    path = f"/dashboard/live/webhooks/{mine.id}/test/"
    assert re.findall(r"<option>([a-z_.]+)</option>", text_of(owner.get(path))) == ["ping"]
    answer = send_form(owner, path, type="payment_intent.settled")
    assert (answer.status_code, "Choose one of these events." in text_of(answer)) == (400, True)
    assert not Delivery.objects.exists()
    send_form(owner, path, type="ping")
    assert [delivery.event.type for delivery in Delivery.objects.all()] == ["ping"]


def test_what_was_missed_is_recovered(owner: Client, principal: Principal) -> None:
    first = happen(principal)
    happen(principal, "refund.paid")
    mine = subscribe(principal, PUBLIC, "payment_intent.*")
    path = f"{LIST}{mine.id}/recover/"
    for since in ("", "yesterday", "2999-01-01T00:00", "0001-01-01T00:00+14:00"):
        answer = send_form(owner, path, since=since)
        assert (answer.status_code, "Say since when, not later than now." in text_of(answer)) == (400, True)
    assert not Delivery.objects.exists()
    send_form(owner, path, since=(now() - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M"))
    assert "1 event is on the way." in text_of(owner.get(f"{LIST}{mine.id}/"))
    assert [delivery.event_id for delivery in Delivery.objects.all()] == [first.pk]
    send_form(owner, path, since=(now() - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M"))
    assert "Nothing was missed since then." in text_of(owner.get(f"{LIST}{mine.id}/"))
