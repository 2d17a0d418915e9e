"""The demo shop: it sells in test mode only, through the hosted checkout, and opens where it is told."""

from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError
from django.test import Client
from django.test.utils import override_settings

from checkout.demo.models import DemoOrder, DemoShop
from checkout.demo.products import PRODUCTS
from checkout.demo.services import open_shop
from core.modes import Mode
from merchants.principal import Principal
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from tests.checkout.shopping import buy, deliver, secret_of, state_of, told
from tests.conftest import ApiClient
from tests.merchants.people import send_form, text_of
from tests.merchants.test_sign_in import INLINE, STRICT_POLICY, policy_of
from webhooks.models import WebhookEndpoint
from webhooks.selectors import endpoints_of

pytestmark = pytest.mark.slow

DEMO_POLICY = (STRICT_POLICY - {"form-action 'self'"}) | {
    *("form-action 'self' http://localhost:8000", "require-trusted-types-for 'script'", "trusted-types 'none'")
}


@pytest.mark.spec("Rulings B10.2")
def test_buying_creates_an_intent_and_leads_to_its_checkout(shop: DemoShop, visitor: Client) -> None:
    page = text_of(visitor.get("/demo/"))
    assert [f"${product.price_usd}" in page for product in PRODUCTS.values()] == [True, True, True]
    assert "Corner Shop" in page
    order = buy(visitor, scenario="fail")
    place = f"/demo/orders/{order.pk}"
    intent = PaymentIntent.objects.get(pk=order.intent_id)
    assert (intent.merchant_id, intent.mode, str(intent.amount)) == (shop.merchant_id, "test", "49.900000")
    assert intent.metadata == {"order": str(order.pk), "product": "bridge", "simulate": "fail"}
    assert intent.return_url == f"http://localhost:8000{place}"
    assert intent.reference == f"ORDER-{str(order.pk)[:8].upper()}"
    assert "simulate" not in PaymentIntent.objects.get(pk=buy(visitor, scenario="nonsense").intent_id).metadata

    assert visitor.get(f"{place}/news").json() == {"news": 0, "over": False}
    deliver(shop, told(order, "payment_intent.executing"))
    assert visitor.get(f"{place}/news").json() == {"news": 1, "over": False}
    page, reload = text_of(visitor.get(place)), '<noscript><meta http-equiv="refresh"'
    assert "Waiting for a signed webhook" in page
    assert f'data-news="1" data-news-url="{place}/news"' in page
    assert reload in page, "without scripts it reloads itself until it ends"
    deliver(shop, told(order, "payment_intent.settled"))
    assert reload not in text_of(visitor.get(place))
    for path in ("/demo/", place):
        answer = visitor.get(path)
        assert policy_of(answer) == DEMO_POLICY
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "no-store" in answer.headers["Cache-Control"]
        assert INLINE.findall(text_of(answer)) == []


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
    assert '<script defer src="http://localhost:8000/embed/v1.js"></script>' in page
    assert account.test.secret_key not in page
    service = {f"{name} 'self' http://localhost:8000" for name in ("script-src", "connect-src")}
    mine = {f"{name} 'self'" for name in ("script-src", "connect-src")}
    assert policy_of(answer) == (DEMO_POLICY - mine) | service | {"frame-src http://localhost:8000"}
    assert INLINE.findall(page) == []
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
    answer = visitor.get("/demo/")
    assert answer.status_code == 503
    assert "The demo shop is closed" in text_of(answer)


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
    assert WebhookEndpoint.objects.get(pk=shop.endpoint_id).enabled
    api.send("DELETE", f"/webhook-endpoints/{shop.endpoint_id}")
    again = open_shop(principal, settings.BASE_URL)
    assert again.pk == shop.pk
    assert again.endpoint_id != shop.endpoint_id
    assert secret_of(again) != secret_of(shop)


def test_two_shops_keep_their_orders_apart(shop: DemoShop, visitor: Client, other_account: NewMerchant) -> None:
    order = buy(visitor)
    theirs = Principal(merchant_id=other_account.merchant.pk, mode=Mode.TEST, actor="user:1")
    other = open_shop(theirs, settings.BASE_URL)
    assert visitor.get(f"/demo/orders/{order.pk}").status_code == 404
    assert deliver(other, told(order, "payment_intent.settled")).status_code == 200
    assert state_of(order) == (False, "")
