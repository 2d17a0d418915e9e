"""Deliveries, events and the signature page: every attempt with its answer, sent again, and nothing pasted is kept."""

import re
from datetime import timedelta
from html import escape
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.clock import now
from core.modes import Mode
from dashboard.webhooks import paging
from dashboard.webhooks.endpoint import NODE, PYTHON
from dashboard.webhooks.words import ERRORS, OUTCOMES, RESOURCES, WHY_DISABLED
from merchants.models import Role
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.factories.rows import all_rows
from tests.merchants.people import add_member, field_value, send_form, sign_in, text_of
from tests.payments.world import World
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver, answer
from webhooks.catalog import EVENT_TYPES
from webhooks.delivery.rounds import drain
from webhooks.models import Delivery, DeliveryAttempt, Event
from webhooks.services import shift_due
from webhooks.signatures import new_secret, signature_header
from webhooks.states import DisabledReason, Outcome

pytestmark = pytest.mark.slow
LIST, EVENTS = "/dashboard/test/webhooks/", "/dashboard/test/events/"
SIGNATURE = f"{LIST}signature/"
HOSTILE = "<script>alert(1)</script>\u202e{{ 7|add:7 }}"


def path_of(delivery: Delivery) -> str:
    return f"{LIST}deliveries/{delivery.pk}/"


def stored(subscriber: Subscriber, principal: Principal, outcome: str, count: int, **event: Any) -> list[str]:
    made = []
    for number in range(count):
        due = {"next_attempt_at": now()} if outcome == Outcome.DUE else {"finished_at": now()}
        delivery = Delivery.objects.create(
            merchant_id=principal.merchant_id,
            mode=principal.mode,
            event=happen(principal, **event),
            endpoint=subscriber.endpoint,
            outcome=outcome,
            attempts=1,
            created_at=now() + timedelta(seconds=number),
            **due,
        )
        made.append(str(delivery.pk))
    return made[::-1]


def listed(response: Any, kind: str = "deliveries") -> list[str]:
    return re.findall(rf'href="/dashboard/test/(?:webhooks/)?{kind}/([0-9a-z_-]+)/"', text_of(response))


@pytest.mark.spec("Events: delivery")
def test_a_delivery_shows_each_attempt_and_is_sent_again(
    owner: Client, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    receiver.script = answer(503, HOSTILE.encode(), X_Told=HOSTILE.encode("ascii", "replace").decode())
    event = happen(principal, metadata={"note": HOSTILE})
    drain()
    delivery = subscriber.delivery()
    page = text_of(owner.get(path_of(delivery)))
    assert '<span class="pill" data-tone="bad">503</span>' in page
    assert "Next attempt" in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    [got] = receiver.received
    for name in ("Svc-Event-Id", "Svc-Event-Type", "Svc-Delivery-Id", "Svc-Attempt", "webhook-id", "Content-Type"):
        assert f"<dt>{name}</dt><dd><code>{got.headers[name]}</code></dd>" in page
    assert got.headers["Svc-Signature"].partition(",")[0] in page
    assert got.headers["Svc-Signature"].partition("v1=")[2] not in page
    receiver.script = answer(200, b"ok")
    send_form(owner, f"{path_of(delivery)}resend/")
    drain()
    page = text_of(owner.get(path_of(delivery)))
    assert '<span class="pill" data-tone="ok">200</span>' in page
    assert page.index("attempt-2") < page.index("attempt-1")
    assert [received.headers["Svc-Attempt"] for received in receiver.wait_for(2)] == ["1", "2"]
    assert listed(owner.get(f"{EVENTS}{event.pk}/")) == [str(delivery.pk)]


def test_a_failure_without_an_answer_is_said_in_words_and_a_disabled_endpoint_gets_nothing_again(
    owner: Client, principal: Principal, subscriber: Subscriber
) -> None:
    [key] = stored(subscriber, principal, Outcome.EXHAUSTED, 1)
    facts = {"merchant_id": principal.merchant_id, "mode": "test", "delivery_id": key, "at": now(), "latency_ms": 5}
    for number, error in enumerate(ERRORS, start=1):
        DeliveryAttempt.objects.create(**facts, number=number, error=error)
    path = f"{LIST}deliveries/{key}/"
    page = text_of(owner.get(path))
    assert [words for words in ERRORS.values() if escape(words) not in page] == []
    subscriber.endpoint.enabled = False
    subscriber.endpoint.save()
    assert f"{path}resend/" not in text_of(owner.get(path))
    before = all_rows()
    send_form(owner, f"{path}resend/")
    assert all_rows() == before
    assert "This webhook endpoint is disabled." in text_of(owner.get(path))


def test_the_list_of_an_endpoint_is_narrowed_and_paged(
    owner: Client, principal: Principal, subscriber: Subscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = stored(subscriber, principal, Outcome.EXHAUSTED, 2, event_type="refund.failed")
    Delivery.objects.update(created_at=now() + timedelta(minutes=5))
    failed = [str(key) for key in Delivery.objects.order_by("-pk").values_list("pk", flat=True)]
    delivered = stored(subscriber, principal, Outcome.DELIVERED, 52)
    here = f"{LIST}{subscriber.id}/"
    first = owner.get(here)
    assert listed(first) == [*failed, *delivered][:50]
    older = re.search(r'rel="next" href="([^"]+)"', text_of(first))
    assert older is not None
    assert listed(owner.get(older[1])) == [*failed, *delivered][50:]
    assert listed(owner.get(f"{here}?outcome=exhausted")) == failed
    assert listed(owner.get(f"{here}?type=refund.failed")) == failed
    assert listed(owner.get(f"{here}?type=payout.paid")) == []
    for query, words in (("outcome=lost", "There is no such outcome."), ("type=%00", "There is no such event type.")):
        refused = owner.get(f"{here}?{query}")
        assert (refused.status_code, words in text_of(refused)) == (400, True)
    monkeypatch.setattr(paging, "LOOKED_AT", 3)
    looked = owner.get(f"{here}?type=payment_intent.settled")
    assert listed(looked) == delivered[:1]
    further = re.search(r'rel="next" href="([^"]+)"', text_of(looked))
    assert further is not None
    assert listed(owner.get(further[1].replace("&amp;", "&"))) == delivered[1:4]


def test_events_are_listed_and_shown_with_their_payload(world: World, owner: Client, principal: Principal) -> None:
    assert "No events yet" in text_of(owner.get(EVENTS))
    made = []
    for name in ("refund.paid", "payout.paid"):
        made.append(happen(principal, name, metadata={"note": HOSTILE}).pk)
        world.wait(1)
    assert listed(owner.get(EVENTS), "events") == made[::-1]
    assert listed(owner.get(f"{EVENTS}?type=refund.paid"), "events") == made[:1]
    page = text_of(owner.get(f"{EVENTS}{made[0]}/"))
    assert "It was sent to nobody" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    for unknown in ("evt_" + "0" * 32, "evt_x", made[0].upper()):
        assert owner.get(f"{EVENTS}{unknown}/").status_code == 404


def test_viewers_do_not_see_customers(account: NewMerchant, principal: Principal, subscriber: Subscriber) -> None:
    event = happen(principal, metadata={"note": "Ada"}, customer_email="ada@payer.example", amount="25.00")
    drain()
    delivery = subscriber.delivery()
    DeliveryAttempt.objects.filter(delivery=delivery).update(
        response_body="thanks Ada", response_headers={"X-Echo": "ada@payer.example"}
    )
    for role, sees in ((Role.SUPPORT, True), (Role.VIEWER, False)):
        add_member(account.merchant, f"{role}@shop.example", role)
        client = sign_in(f"{role}@shop.example")
        for path in (path_of(delivery), f"{EVENTS}{event.pk}/"):
            page = text_of(client.get(path))
            assert ("Ada" in page or "ada@payer.example" in page) == sees
            assert "25.00" in page


def paste(client: Client, **fields: str) -> Any:
    return send_form(
        client, SIGNATURE, **{"header": "", "body": "", "endpoint": "", "secret": "", "computed": "", **fields}
    )


def fault_of(response: Any) -> str:
    found = re.search(r'data-fault="([a-z_]+)"', text_of(response))
    assert found is not None
    return found[1]


@pytest.mark.spec("Events: signature")
def test_the_signature_page_names_the_step(
    owner: Client, principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    other = subscribe(principal, receiver.url, "payout.*")
    happen(principal)
    drain()
    [got] = receiver.received
    header, body = got.headers["Svc-Signature"], got.body.decode()
    assert fault_of(paste(owner, header=header, body=body)) == "right"
    assert fault_of(paste(owner, header=f"Svc-Signature: {header}", body=body, secret=subscriber.secret)) == "right"
    mine = paste(owner, header=header, body=body, endpoint=other.id)
    assert (fault_of(mine), subscriber.endpoint.url in text_of(mine)) == ("other_endpoint", True)
    assert fault_of(paste(owner, header=header, body=body, secret=other.secret)) == "other_endpoint"
    spaced = paste(owner, header=header, body=body.replace('","', '", "'))
    assert (fault_of(spaced), "white space between its parts" in text_of(spaced)) == ("body_changed", True)
    changed = paste(owner, header=header, body=body.replace("intent.settled", "intent.failed"))
    assert (fault_of(changed), "<code>type</code>" in text_of(changed)) == ("body_differs", True)
    assert fault_of(paste(owner)) == "header_missing"
    send_form(owner, f"{LIST}{subscriber.id}/delete/")
    assert fault_of(paste(owner, header=header, body=body)) == "unexplained"


def test_a_secret_past_its_grace_is_still_known_and_strangers_are_not_tried(
    owner: Client, principal: Principal, subscriber: Subscriber, other_account: NewMerchant
) -> None:
    stranger = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="test")
    theirs = subscribe(stranger, "https://8.8.8.8/")
    header = signature_header([theirs.secret], int(now().timestamp()), b"{}")
    assert fault_of(paste(owner, header=header, body="{}", endpoint=theirs.id)) == "unexplained"
    path = f"{LIST}{subscriber.id}/secret/"
    send_form(owner, path, shown_secret_id=field_value(owner.get(path), "shown_secret_id"))
    shift_due(principal.merchant_id, principal.mode, 86_401)
    header = signature_header([subscriber.secret], int(now().timestamp()), b"{}")
    assert fault_of(paste(owner, header=header, body="{}")) == "secret_over"


def test_nothing_that_is_pasted_is_kept(
    owner: Client, account: NewMerchant, subscriber: Subscriber, caplog: pytest.LogCaptureFixture
) -> None:
    secret, before = new_secret(), all_rows()
    header = signature_header([secret], int(now().timestamp()), b'{"a":"unique-text"}')
    with CaptureQueriesContext(connection) as queries, caplog.at_level("DEBUG", "causeway"):
        page = paste(owner, header=header, body='{"a":"unique-text"}', secret=secret)
    assert fault_of(page) == "right"
    assert secret not in text_of(page)
    said = caplog.text + str([query["sql"] for query in queries.captured_queries])
    assert (secret in said, "unique-text" in said, header in said) == (False, False, False)
    assert all_rows() == before
    assert secret not in str(dict(owner.session))


def test_what_is_too_long_is_not_looked_at(owner: Client) -> None:
    for field, length in (("body", 65537), ("header", 4097), ("secret", 257), ("computed", 257)):
        refused = paste(owner, **{field: "x" * length})
        assert (refused.status_code, "is longer than any" in text_of(refused)) == (400, True), field
        assert "x" * 200 not in text_of(refused)


def test_everything_has_words() -> None:
    assert set(OUTCOMES) == set(Outcome)
    assert set(WHY_DISABLED) == set(DisabledReason)
    assert set(RESOURCES) == {entry.resource for entry in EVENT_TYPES}
    guide = Path("docs/guides/webhooks.md").read_text()
    listed_errors = guide.partition("one of these words in `error`:")[2].partition(".")[0]
    assert set(ERRORS) == set(re.findall(r"`([a-z_]+)`", listed_errors))
    assert PYTHON in guide
    assert NODE in guide


def test_pages_ask_few_questions(
    owner: Client, principal: Principal, subscriber: Subscriber, django_assert_max_num_queries: Any
) -> None:
    for _ in range(12):
        subscribe(principal, "https://8.8.8.8/hook")
    happen(principal)
    drain()
    delivery = Delivery.objects.filter(endpoint=subscriber.endpoint).get()
    event = Event.objects.get(pk=delivery.event_id)
    paths = [LIST, f"{LIST}{subscriber.id}/", path_of(delivery), EVENTS, f"{EVENTS}{event.pk}/", SIGNATURE]
    for path in paths:
        with django_assert_max_num_queries(15):
            owner.get(path)
