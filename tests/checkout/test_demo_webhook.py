"""The demo shop's receiver: an order is paid when a verified webhook says so, never before."""

import hashlib
import hmac
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.test import Client

from checkout.demo.models import DemoDelivery, DemoShop, Verdict
from core.clock import now
from payments.models import PaymentIntent
from payments.services.advance import sweep_due
from tests.checkout.shopping import buy, deliver, post, secret_of, state_of, told
from tests.conftest import ApiClient
from tests.merchants.people import text_of
from webhooks.models import Event
from webhooks.signatures import signature_header

pytestmark = pytest.mark.slow


@pytest.mark.spec("Events: signature verification, receiver's answers")
def test_a_verified_webhook_makes_the_order_paid(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    PaymentIntent.objects.filter(pk=order.intent_id).update(status="settled")
    assert "Waiting for a signed webhook" in text_of(visitor.get(f"/demo/orders/{order.pk}"))
    assert state_of(order) == (False, ""), "nothing is believed but webhooks"
    answer = deliver(shop, told(order, "payment_intent.settled"))
    assert (answer.status_code, answer.json()) == (200, {"received": True, "verdict": "accepted"})
    assert state_of(order) == (True, "")
    delivery = DemoDelivery.objects.get()
    assert [step["passed"] for step in delivery.steps] == [True] * 5
    page = text_of(visitor.get(f"/demo/orders/{order.pk}"))
    assert "Paid. Thank you!" in page
    assert "POST /demo/webhook HTTP/1.1" in page
    assert "Svc-Signature: t=" in page
    expected = next(value for name, value in delivery.steps[2]["values"] if name == "HMAC-SHA256")
    assert page.count(expected) == 4  # computed, received, in the header's step, in the raw request
    assert secret_of(shop) not in page


def test_what_the_service_really_sends_is_believed(shop: DemoShop, visitor: Client, api: ApiClient) -> None:
    order = buy(visitor)
    assert api.post(f"/test-helpers/payment-intents/{order.intent_id}/pay", {}).status == 200
    with time_machine.travel(now(), tick=False) as clock:
        for _ in range(20):
            clock.shift(5)
            sweep_due()
    for event in Event.objects.filter(resource_id=order.intent_id).order_by("sequence"):
        assert deliver(shop, event.payload.encode()).status_code == 200
    assert state_of(order) == (True, "")


def test_other_events_never_make_an_order_paid(shop: DemoShop, visitor: Client) -> None:
    endings = {name: name for name in ("failed", "expired", "cancelled")} | {"executing": "", "partially_filled": ""}
    for name, ending in endings.items():
        order = buy(visitor)
        assert deliver(shop, told(order, f"payment_intent.{name}")).status_code == 200
        assert state_of(order) == (False, ending), name
    order = buy(visitor)
    deliver(shop, told(order, "payment_intent.settled"))
    deliver(shop, told(order, "payment_intent.failed"))
    assert state_of(order) == (True, ""), "a late failure does not take a payment back"


@pytest.mark.spec("Events: a receiver that fails verification answers with a 401-class refusal")
def test_an_old_or_future_timestamp_is_refused_as_is_a_replay_after_the_tolerance(
    shop: DemoShop, visitor: Client
) -> None:
    with time_machine.travel("2026-01-01T12:00:00Z", tick=False) as clock:
        order = buy(visitor)
        for seconds_ago in (301, -301, 86400):
            assert deliver(shop, told(order, "payment_intent.settled"), seconds_ago).status_code == 401
            assert state_of(order) == (False, "")
        assert [[step["passed"] for step in one.steps] for one in DemoDelivery.objects.all()] == [
            [True, False, True]
        ] * 3
        for seconds_ago in (300, -300, 0):
            clock.shift(1)
            order = buy(visitor)
            raw_body = told(order, "payment_intent.settled")
            assert deliver(shop, raw_body, seconds_ago).status_code == 200
            assert state_of(order) == (True, "")
        signature = signature_header([secret_of(shop)], int(now().timestamp()), raw_body)
        assert post(raw_body, signature).status_code == 200
        clock.shift(301)
        assert post(raw_body, signature).status_code == 401


def _forgeries(raw_body: bytes, secret: str) -> dict[str, str]:
    moment = int(now().timestamp())
    good = hmac.new(secret.encode(), b"%d." % moment + raw_body, hashlib.sha256).hexdigest()
    other = hmac.new(b"whsec_other", b"%d." % moment + raw_body, hashlib.sha256).hexdigest()
    return {
        "none": "",
        "no time": f"v1={good}",
        "no signature": f"t={moment}",
        "another secret": f"t={moment},v1={other}",
        "another time": f"t={moment - 1},v1={good}",
        "two times": f"t={moment},t={moment},v1={good}",
        "one digit short": f"t={moment},v1={good[:-1]}",
        "in capitals": f"t={moment},v1={good.upper()}",
        "another scheme": f"t={moment},v0={good}",
        "signed without the time": f"t={moment},v1={hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()}",
        "words": "t=now,v1=yes",
        "arabic digits": "t=١٢٣,v1=" + good,
        "huge time": f"t={'9' * 30},v1={good}",
        "garbage": "\x7f;;==,,",
    }


@pytest.mark.spec("Events: signature verification, receiver's answers")
def test_a_bad_signature_is_refused(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    raw_body = told(order, "payment_intent.settled")
    for name, forgery in _forgeries(raw_body, secret_of(shop)).items():
        answer = post(raw_body, forgery)
        assert (answer.status_code, answer.json()) == (401, {"received": False, "verdict": "refused"}), name
        assert state_of(order) == (False, ""), name
    assert set(DemoDelivery.objects.values_list("verdict", flat=True)) == {Verdict.REFUSED}
    assert "Refused" in text_of(visitor.get("/demo/"))


def test_a_changed_body_is_refused_and_both_signatures_of_a_rotation_are_tried(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    raw_body, moment = told(order, "payment_intent.settled"), int(now().timestamp())
    signature = signature_header([secret_of(shop)], moment, raw_body)
    for before, after in ((b"49.90", b"49.91"), (b'"id"', b'"id" '), (b"settled", b"Settled")):
        assert post(raw_body.replace(before, after), signature).status_code == 401, after
    assert state_of(order) == (False, "")
    assert post(raw_body, signature_header(["whsec_newer", secret_of(shop)], moment, raw_body)).status_code == 200
    assert state_of(order) == (True, "")


def test_a_replay_is_written_down_and_changes_nothing(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    raw_body = told(order, "payment_intent.settled")
    signature = signature_header([secret_of(shop)], int(now().timestamp()), raw_body)
    assert post(raw_body, signature).json()["verdict"] == "accepted"
    order.refresh_from_db()
    paid_at = order.paid_at
    again, resent = post(raw_body, signature), deliver(shop, raw_body, seconds_ago=7)
    for answer in (again, resent):
        assert (answer.status_code, answer.json()) == (200, {"received": True, "verdict": "repeated"})
    order.refresh_from_db()
    assert order.paid_at == paid_at
    verdicts = DemoDelivery.objects.order_by("pk").values_list("verdict", flat=True)
    assert list(verdicts) == ["accepted", "repeated", "repeated"]


def test_another_price_does_not_pay(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    prices: list[dict[str, Any]] = [{"amount": "0.01"}, {"amount": "49.9"}, {"amount": None}, {"currency": "EUR"}]
    for change in prices:
        assert deliver(shop, told(order, "payment_intent.settled", **change)).status_code == 200
        assert state_of(order) == (False, ""), change
    assert [delivery.steps[-1]["passed"] for delivery in DemoDelivery.objects.all()] == [False] * len(prices)


NONSENSE = (
    *(b"", b"[]", b"null", b"{", b"\xff\xfe", b'{"data": 5}', b'{"data": {"id": "x"}}', b"9" * 5000),
    b'{"id": 5, "type": [], "data": []}',
    b'{"data": {"id": "6932e544-fe9e-4e26-bece-111eccf8cf63"}, "type": "payment_intent.settled"}',
)


def test_signed_nonsense_breaks_nothing(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    for raw_body in NONSENSE:
        assert deliver(shop, raw_body).status_code in {200, 401}, raw_body[:80]
        assert state_of(order) == (False, ""), raw_body[:80]
    assert visitor.get("/demo/").status_code == 200


def test_hostile_requests_are_shown_as_text_and_only_the_latest_are_kept(shop: DemoShop, visitor: Client) -> None:
    row = {"shop": shop, "headers": {}, "raw_body": b"", "steps": [], "verdict": Verdict.REFUSED}
    DemoDelivery.objects.bulk_create(DemoDelivery(**row) for _ in range(250))
    body = b"</pre><script>alert(1)</script>\xff"
    assert post(body, "<img src=x onerror=alert(1)>", Cookie="sessionid=stolen", Authorization="Bearer x").status_code
    page = text_of(visitor.get("/demo/"))
    assert [hostile for hostile in ("<script>alert", "<img src=x", "stolen", "Bearer x") if hostile in page] == []
    assert DemoDelivery.objects.count() == 200


def test_the_recipe_stands_alone() -> None:
    recipe = Path(settings.BASE_DIR, "checkout", "demo", "verify.py")
    imported = set(re.findall(r"^(?:import|from) (\w+)", recipe.read_text(encoding="utf-8"), re.MULTILINE))
    assert imported <= {"hashlib", "hmac", "re", "dataclasses"}
    program = (
        "import runpy; v = runpy.run_path('verify.py')['verify'];"
        "print(all(step.passed for step in v(b'{}', 't=1,v1=' + __import__('hmac').new("
        "b'whsec_x', b'1.{}', 'sha256').hexdigest(), 'whsec_x', 1)))"
    )
    outcome = subprocess.run([sys.executable, "-I", "-c", program], cwd=recipe.parent, capture_output=True, check=True)
    assert outcome.stdout.strip() == b"True"
