"""The demo shop: it sells in test mode only, by the hosted checkout; paid is what a verified webhook says is paid."""

import hashlib
import hmac
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
import time_machine
from django.conf import settings
from django.db import IntegrityError
from django.test import Client
from django.test.utils import override_settings

from checkout.demo.models import DemoDelivery, DemoOrder, DemoShop, Verdict
from checkout.demo.products import PRODUCTS
from checkout.demo.services import open_shop
from core.clock import now
from core.modes import Mode
from core.secrets import decrypt
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from payments.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.merchants.people import send_form, text_of
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of
from webhooks.models import Event
from webhooks.selectors import endpoints_of, valid_secrets
from webhooks.signatures import signature_header

pytestmark = pytest.mark.slow
WEBHOOK = "/demo/webhook"
DEMO_POLICY = (STRICT_POLICY - {"form-action 'self'"}) | {
    *("form-action 'self' http://localhost:8000", "require-trusted-types-for 'script'", "trusted-types 'none'")
}


@pytest.fixture
def shop(principal: Principal) -> DemoShop:
    return open_shop(principal, settings.BASE_URL)


@pytest.fixture
def visitor() -> Client:
    return Client(enforce_csrf_checks=True)


def secret_of(shop: DemoShop) -> str:
    """What the shop signs nothing with and checks everything by."""
    return decrypt(bytes(shop.sealed_secret)).decode()


def buy(visitor: Client, product: str = "bridge", scenario: str = "") -> DemoOrder:
    answer = send_form(visitor, "/demo/buy", at="/demo/", product=product, scenario=scenario)
    order = DemoOrder.objects.latest("created_at", "pk")
    assert answer.headers["Location"] == f"http://localhost:8000/checkout/{order.intent_id}"
    return order


def told(order: DemoOrder, event_type: str, **changes: Any) -> bytes:
    """An event about the order's intent, as the service writes it."""
    body = {"id": str(order.intent_id), "amount": "49.90", "currency": "USD", "metadata": {}} | changes
    return orjson.dumps({"id": f"evt_{event_type}_{order.pk}", "type": event_type, "created_at": "", "data": body})


def post(raw_body: bytes, signature: str, **headers: str) -> Any:
    return Client().post(
        WEBHOOK, raw_body, content_type="application/json", headers={"Svc-Signature": signature, **headers}
    )


def deliver(shop: DemoShop, raw_body: bytes, seconds_ago: int = 0) -> Any:
    moment = int(now().timestamp()) - seconds_ago
    return post(raw_body, signature_header([secret_of(shop)], moment, raw_body))


def state_of(order: DemoOrder) -> tuple[bool, str]:
    """Whether the order is paid, and how it ended otherwise."""
    order.refresh_from_db()
    return order.paid_at is not None, order.ended_as


def expect_strict(answer: Any, policy: set[str]) -> None:
    assert policy_of(answer) == policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "no-store" in answer.headers["Cache-Control"]
    assert INLINE.findall(text_of(answer)) == []


@pytest.mark.spec("Rulings B10.2")
def test_buying_creates_an_intent_and_leads_to_its_checkout(shop: DemoShop, visitor: Client) -> None:
    page = text_of(visitor.get("/demo/"))
    assert [f"${product.price_usd}" in page for product in PRODUCTS.values()] == [True, True, True]
    order = buy(visitor, scenario="fail")
    place = f"/demo/orders/{order.pk}"
    intent = PaymentIntent.objects.get(pk=order.intent_id)
    assert (intent.merchant_id, intent.mode, str(intent.amount)) == (shop.merchant_id, "test", "49.900000")
    assert intent.metadata == {"order": str(order.pk), "product": "bridge", "simulate": "fail"}
    assert intent.return_url == f"http://localhost:8000{place}"
    assert intent.reference == f"ORDER-{str(order.pk)[:8].upper()}"
    assert "simulate" not in PaymentIntent.objects.get(pk=buy(visitor, scenario="nonsense").intent_id).metadata
    reload = '<noscript><meta http-equiv="refresh"'
    assert reload in text_of(visitor.get(place)), "without scripts it reloads itself until it ends"
    deliver(shop, told(order, "payment_intent.settled"))
    assert reload not in text_of(visitor.get(place))
    for path in ("/demo/", place):
        expect_strict(visitor.get(path), DEMO_POLICY)


def test_paying_here_shows_the_checkout_of_the_same_order_and_goes_on_by_webhook_alone(
    shop: DemoShop, visitor: Client, account: NewMerchant
) -> None:
    pressed = send_form(visitor, "/demo/buy-here", at="/demo/", product="bridge", scenario="")
    order = DemoOrder.objects.latest("created_at", "pk")
    place, news = f"/demo/orders/{order.pk}/pay", f"/demo/orders/{order.pk}/news"
    assert pressed.headers["Location"] == place
    answer = visitor.get(place)
    page = text_of(answer)
    assert f'data-intent="{order.intent_id}" data-key="{account.test.publishable_key}"' in page
    assert account.test.secret_key not in page
    service = {f"{name} 'self' http://localhost:8000" for name in ("script-src", "connect-src")}
    mine = {f"{name} 'self'" for name in ("script-src", "connect-src")}
    expect_strict(answer, (DEMO_POLICY - mine) | service | {"frame-src http://localhost:8000"})
    assert visitor.get(news).json() == {"news": 0, "over": False}
    deliver(shop, told(order, "payment_intent.executing"))
    assert visitor.get(news).json() == {"news": 1, "over": False}
    assert visitor.get(place).status_code == 200
    deliver(shop, told(order, "payment_intent.settled"))
    assert visitor.get(news).json() == {"news": 2, "over": True}
    assert visitor.get(place).headers["Location"] == f"/demo/orders/{order.pk}"


def test_nothing_else_is_for_sale_and_forged_forms_buy_nothing(shop: DemoShop, visitor: Client) -> None:
    for product in ("", "gold", "../bridge"):
        assert send_form(visitor, "/demo/buy", at="/demo/", product=product).status_code == 404
    assert Client(enforce_csrf_checks=True).post("/demo/buy", {"product": "bridge"}).status_code == 403
    assert (DemoOrder.objects.count(), PaymentIntent.objects.count()) == (0, 0)


def test_where_demo_shops_are_off_there_is_none(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    with override_settings(DEMO_SHOP=False):
        for path in ("/demo/", f"/demo/orders/{order.pk}", f"/demo/orders/{order.pk}/news"):
            assert visitor.get(path).status_code == 404
        assert deliver(shop, told(order, "payment_intent.settled")).status_code == 404
        assert state_of(order) == (False, "")


def test_before_anybody_opened_it_the_shop_is_closed(db: None, visitor: Client) -> None:
    assert visitor.get("/demo/").status_code == 503


def test_the_shop_never_opens_in_live_mode(merchant: Any) -> None:
    live = Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="user:1")
    with pytest.raises(ValueError, match="test mode only"):
        open_shop(live, settings.BASE_URL)
    assert endpoints_of(live).count() == 0
    with pytest.raises(IntegrityError):
        DemoShop.objects.create(
            merchant=merchant, mode=Mode.LIVE, endpoint_id="00000000-0000-4000-8000-000000000000", sealed_secret=b""
        )


def test_opening_again_keeps_the_endpoint_and_its_secret_or_replaces_a_deleted_one(
    shop: DemoShop, principal: Principal, api: ApiClient
) -> None:
    api.send("PATCH", f"/webhook-endpoints/{shop.endpoint_id}", {"enabled": False})
    again = open_shop(principal, "http://localhost:9000")
    kept = (again.pk, again.endpoint_id, bytes(again.sealed_secret))
    assert kept == (shop.pk, shop.endpoint_id, bytes(shop.sealed_secret))
    (endpoint,) = endpoints_of(principal)
    assert (endpoint.url, endpoint.events) == ("http://localhost:9000/demo/webhook", ["payment_intent.*"])
    assert endpoint.enabled
    api.send("DELETE", f"/webhook-endpoints/{shop.endpoint_id}")
    again = open_shop(principal, settings.BASE_URL)
    assert again.pk == shop.pk
    assert again.endpoint_id != shop.endpoint_id
    assert secret_of(again) != secret_of(shop)


def test_an_endpoint_that_somebody_made_at_the_shops_address_becomes_the_shops(
    shop: DemoShop, principal: Principal, api: ApiClient
) -> None:
    api.send("DELETE", f"/webhook-endpoints/{shop.endpoint_id}")
    body = {"url": f"{settings.BASE_URL}{WEBHOOK}", "events": ["ping"], "enabled": False}
    made = api.post("/webhook-endpoints", body).body
    again = open_shop(principal, settings.BASE_URL)
    (endpoint,) = endpoints_of(principal)
    assert (str(again.endpoint_id), endpoint.events, endpoint.enabled) == (made["id"], ["payment_intent.*"], True)
    assert secret_of(again) == valid_secrets(endpoint)[0] != made["secret"]


def test_two_shops_keep_their_orders_apart(shop: DemoShop, visitor: Client, other_account: NewMerchant) -> None:
    order = buy(visitor)
    theirs = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:1")
    other = open_shop(theirs, settings.BASE_URL)
    assert visitor.get(f"/demo/orders/{order.pk}").status_code == 404
    assert deliver(other, told(order, "payment_intent.settled")).status_code == 200
    assert state_of(order) == (False, "")


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
    assert next(value for name, value in delivery.steps[2]["values"] if name == "HMAC-SHA256") in page
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
def test_what_was_signed_long_ago_or_in_the_future_is_refused_replays_too(shop: DemoShop, visitor: Client) -> None:
    with time_machine.travel("2026-01-01T12:00:00Z", tick=False) as clock:
        order = buy(visitor)
        for seconds_ago in (301, -301, 86400):
            assert deliver(shop, told(order, "payment_intent.settled"), seconds_ago).status_code == 401
        assert state_of(order) == (False, "")
        for seconds_ago in (300, -300, 0):
            clock.shift(1)
            order = buy(visitor)
            raw_body = told(order, "payment_intent.settled")
            assert deliver(shop, raw_body, seconds_ago).status_code == 200
            assert state_of(order) == (True, "")
        signature = signature_header([secret_of(shop)], int(now().timestamp()), raw_body)
        clock.shift(301)
        assert post(raw_body, signature).status_code == 401


def _forgeries(raw_body: bytes, secret: str) -> dict[str, str]:
    moment = int(now().timestamp())
    good = hmac.new(secret.encode(), b"%d." % moment + raw_body, hashlib.sha256).hexdigest()
    return {
        "none": "",
        "no time": f"v1={good}",
        "no signature": f"t={moment}",
        "another secret": signature_header(["whsec_other"], moment, raw_body),
        "another time": f"t={moment - 1},v1={good}",
        "two times": f"t={moment},t={moment},v1={good}",
        "one digit short": f"t={moment},v1={good[:-1]}",
        "in capitals": f"t={moment},v1={good.upper()}",
        "another scheme": f"t={moment},v0={good}",
        "signed without the time": f"t={moment},v1={hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()}",
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


def test_another_price_does_not_pay(shop: DemoShop, visitor: Client) -> None:
    order = buy(visitor)
    prices: list[dict[str, Any]] = [{"amount": "0.01"}, {"amount": "49.9"}, {"amount": None}, {"currency": "EUR"}]
    for change in prices:
        assert deliver(shop, told(order, "payment_intent.settled", **change)).status_code == 200
        assert state_of(order) == (False, ""), change


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
