"""What the demo shop does: open, sell, and believe signed webhooks. It never asks the service how a payment stands."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from checkout.demo.models import DemoDelivery, DemoOrder, DemoShop, Verdict
from checkout.demo.products import Product
from checkout.demo.verify import Step, verify
from core.clock import now
from core.modes import Mode
from core.money import to_decimal_string
from core.secrets import decrypt, encrypt
from merchants.models import Merchant
from merchants.principal import Principal
from payments.services.create import NewIntent, draft_intent
from webhooks.selectors import endpoints_of
from webhooks.services import EndpointChanges, NewEndpoint, check_url, create_endpoint, rotate_secret, update_endpoint

WEBHOOK_PATH = "/demo/webhook"
SUBSCRIBED_TO = ["payment_intent.*"]
SIGNATURE_HEADER = "Svc-Signature"
DELIVERIES_KEPT = 200
"""Why a limit: anybody on this machine may post to the shop."""
ENDINGS = {
    "payment_intent.failed": "failed",
    "payment_intent.expired": "expired",
    "payment_intent.cancelled": "cancelled",
}


@dataclass(frozen=True, kw_only=True)
class Received:
    """A request as it came to the receiver."""

    headers: Mapping[str, str]
    raw_body: bytes


def open_shop(principal: Principal, base_url: str) -> DemoShop:
    """Open the merchant's shop, or open it again: one endpoint, at this address, switched on.

    Raises: ValueError in live mode; WebhookUrlNotAllowed; WebhookEndpointLimit. Locks: the merchant.
    """
    if principal.mode != Mode.TEST:
        raise ValueError("the demo shop sells in test mode only")
    url = check_url(principal.mode, base_url + WEBHOOK_PATH)
    with transaction.atomic():
        Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
        shop = DemoShop.objects.filter(merchant_id=principal.merchant_id).first()
        owned, there = endpoints_of(principal), endpoints_of(principal).filter(url=url.text).first()
        is_mine = shop is not None and owned.filter(pk=shop.endpoint_id).exists()
        if shop is not None and is_mine and (there is None or there.pk == shop.endpoint_id):
            update_endpoint(principal, str(shop.endpoint_id), EndpointChanges(url=url, enabled=True))
            shop.opened_at = now()
            shop.save(update_fields=["opened_at"])
            return shop
        if there is None:
            endpoint, secret = create_endpoint(principal, NewEndpoint(url=url, events=SUBSCRIBED_TO, enabled=True))
        else:  # somebody registered the shop's own address: nobody else can receive there
            update_endpoint(principal, str(there.pk), EndpointChanges(events=SUBSCRIBED_TO, enabled=True))
            endpoint, secret = rotate_secret(principal, str(there.pk))
        kept = {"endpoint_id": endpoint.pk, "sealed_secret": encrypt(secret.encode()), "opened_at": now()}
        return DemoShop.objects.update_or_create(merchant_id=principal.merchant_id, defaults=kept)[0]


def place_order(shop: DemoShop, product: Product, scenario: str) -> DemoOrder:
    """Create an intent for a product and the order that waits for it, both or neither.

    ``scenario`` is what test mode should play; empty for the usual end.
    """
    principal = Principal(merchant_id=shop.merchant_id, mode=Mode.TEST, actor="demo-shop")
    order = DemoOrder(shop=shop, product=product.slug, price_usd=product.price_usd)
    metadata = {"order": str(order.pk), "product": product.slug} | ({"simulate": scenario} if scenario else {})
    new = NewIntent(
        amount_usd=product.price_usd,
        metadata=metadata,
        reference=order_number(order),
        return_url=f"{settings.BASE_URL}/demo/orders/{order.pk}",
    )
    draft = draft_intent(principal, new)
    order.intent_id = draft.row.pk
    draft.insert(order)
    return order


def order_number(order: DemoOrder) -> str:
    """What a person would call the order."""
    return f"ORDER-{str(order.pk)[:8].upper()}"


def receive(shop: DemoShop, received: Received) -> DemoDelivery:
    """Check a request, write it down with every step, and act on it if it is genuine and new.

    A genuine request that came before is written down and changes nothing: deliveries are at least once.
    Locks: the shop, so that two copies of one event are seen one after the other.
    """
    steps = verify(
        received.raw_body,
        received.headers.get(SIGNATURE_HEADER, ""),
        decrypt(bytes(shop.sealed_secret)).decode(),
        int(now().timestamp()),
    )
    genuine = all(step.passed for step in steps)
    event = _read(received.raw_body) if genuine else {}
    with transaction.atomic():
        DemoShop.objects.select_for_update(no_key=True).get(pk=shop.pk)
        return _write_down(shop, received, steps, event)


def _write_down(shop: DemoShop, received: Received, steps: list[Step], event: dict[str, Any]) -> DemoDelivery:
    event_id, event_type = str(event.get("id", ""))[:64], str(event.get("type", ""))[:64]
    order = _order_of(shop, event)
    if not event:
        verdict = Verdict.REFUSED
    else:
        is_new = not shop.deliveries.filter(event_id=event_id, verdict=Verdict.ACCEPTED).exists()
        steps = [*steps, Step("Have we not seen this event before?", (("id", event_id),), is_new)]
        verdict = Verdict.ACCEPTED if is_new else Verdict.REPEATED
    if order is not None and verdict == Verdict.ACCEPTED:
        steps = [*steps, *_act(order, event_type, event)]
    delivery = DemoDelivery.objects.create(
        shop=shop,
        order=order,
        event_id=event_id,
        event_type=event_type,
        headers=dict(received.headers),
        raw_body=received.raw_body,
        steps=[asdict(step) for step in steps],
        verdict=verdict,
    )
    shop.deliveries.filter(pk__lte=delivery.pk - DELIVERIES_KEPT).delete()
    return delivery


def _read(raw_body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(raw_body)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def _order_of(shop: DemoShop, event: dict[str, Any]) -> DemoOrder | None:
    """The order whose intent the event tells of; None for intents that other programs of this merchant made."""
    payload = event.get("data")
    intent_id = payload.get("id") if isinstance(payload, dict) else None
    try:
        return shop.orders.filter(intent_id=uuid.UUID(str(intent_id))).first()
    except ValueError:
        return None


def _act(order: DemoOrder, event_type: str, event: dict[str, Any]) -> list[Step]:
    """Fulfil or close the order. Why the price is compared: the shop sold for that and nothing less."""
    if event_type in ENDINGS and order.paid_at is None:
        order.ended_as = ENDINGS[event_type]
        order.save(update_fields=["ended_as"])
    if event_type != "payment_intent.settled":
        return []
    price, payload = to_decimal_string(order.price_usd), event["data"]
    matches = payload.get("amount") == price and payload.get("currency") == "USD"
    if matches and order.paid_at is None:
        order.paid_at = now()
        order.save(update_fields=["paid_at"])
    values = (("our price", f"{price} USD"), ("data.amount", f"{payload.get('amount')} {payload.get('currency')}"))
    return [Step("Is it for our price?", values, matches)]
