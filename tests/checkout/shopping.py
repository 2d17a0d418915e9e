"""What visitors and webhook senders do at the demo shop."""

from typing import Any

import orjson
from django.test import Client

from checkout.demo.models import DemoOrder, DemoShop
from core.clock import now
from core.secrets import decrypt
from tests.merchants.people import send_form
from webhooks.signatures import signature_header

WEBHOOK = "/demo/webhook"


def secret_of(shop: DemoShop) -> str:
    """What the shop signs nothing with and checks everything by."""
    return decrypt(bytes(shop.sealed_secret)).decode()


def buy(visitor: Client, product: str = "bridge", scenario: str = "") -> DemoOrder:
    """Buy something, as a visitor does."""
    answer = send_form(visitor, "/demo/buy", at="/demo/", product=product, scenario=scenario)
    order = DemoOrder.objects.latest("created_at", "pk")
    assert answer.headers["Location"] == f"http://localhost:8000/checkout/{order.intent_id}"
    return order


def told(order: DemoOrder, event_type: str, **changes: Any) -> bytes:
    """An event about the order's intent, as the service writes it."""
    body = {"id": str(order.intent_id), "amount": "49.90", "currency": "USD", "metadata": {}} | changes
    return orjson.dumps({"id": f"evt_{event_type}_{order.pk}", "type": event_type, "created_at": "", "data": body})


def post(raw_body: bytes, signature: str, **headers: str) -> Any:
    """Send a request to the receiver, as anybody could."""
    return Client().post(
        WEBHOOK, raw_body, content_type="application/json", headers={"Svc-Signature": signature, **headers}
    )


def deliver(shop: DemoShop, raw_body: bytes, seconds_ago: int = 0) -> Any:
    """Send a request signed as the service signs."""
    moment = int(now().timestamp()) - seconds_ago
    return post(raw_body, signature_header([secret_of(shop)], moment, raw_body))


def state_of(order: DemoOrder) -> tuple[bool, str]:
    """Whether the order is paid, and how it ended otherwise."""
    order.refresh_from_db()
    return order.paid_at is not None, order.ended_as
