"""What the tests of refunds need: paid intents, refunds through HTTP, workers of every kind, and what was told."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import orjson

from core.clock import now
from payments.models import PaymentIntent
from payments.services import advance as payments
from refunds.models import Refund
from refunds.services import advance as refunds
from tests.conftest import ApiClient, Reply
from tests.payments.world import TICK, World, create, pay, read
from tests.told import told_once
from webhooks.models import Event

PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7"
"""Where refunds go: the payer's address on the default chain."""
NOWHERE = "00000000-0000-4000-8000-000000000000"


def work(world: World, seconds: float = 4) -> None:
    """Let time pass with workers at work: a sweep of each kind now, then once per tick, and one at the end."""
    end = now() + timedelta(seconds=seconds)
    while True:
        payments.sweep_due()
        refunds.sweep_due()
        if now() >= end:
            return
        world.clock.shift(min(TICK, end - now()))


@told_once
def settled(world: World, api: ApiClient, /, scenario: str = "settle", **fields: Any) -> dict[str, Any]:
    intent = create(api, **fields)
    assert pay(api, intent, scenario).status == 200
    work(world)
    return read(api, intent)


def refund(api: ApiClient, intent: dict[str, Any], amount_usd: Any = 25, **fields: Any) -> dict[str, Any]:
    reply = ask(api, intent, amount_usd, **fields)
    assert reply.status == 201, reply.body
    body: dict[str, Any] = reply.body
    return body


def ask(api: ApiClient, intent: dict[str, Any], amount_usd: Any = 25, *, key: str = "", **fields: Any) -> Reply:
    headers = {"Idempotency_Key": key} if key else {}
    return api.post("/refunds", {"intent_id": intent["id"], "amount_usd": amount_usd, **fields}, **headers)


def shown(api: ApiClient, made: dict[str, Any]) -> dict[str, Any]:
    reply = api.get(f"/refunds/{made['id']}")
    assert reply.status == 200, reply.body
    body: dict[str, Any] = reply.body
    return body


def public(made: dict[str, Any]) -> dict[str, Any]:
    reply = ApiClient("").get(f"/api/public/refunds/{made['id']}/status")
    assert reply.status == 200, reply.body
    body: dict[str, Any] = reply.body
    return body


def row(made: dict[str, Any]) -> Refund:
    found: Refund = Refund.objects.get(pk=made["id"])
    return found


def steps(made: dict[str, Any]) -> list[str]:
    return list(row(made).history.order_by("id").values_list("to_status", flat=True))


def told(made: dict[str, Any]) -> list[str]:
    events = Event.objects.filter(resource_id=made["id"]).order_by("sequence").values_list("sequence", "type")
    assert [number for number, _ in events] == list(range(1, len(events) + 1))
    return [name.removeprefix("refund.") for _, name in events]


def last_event(made: dict[str, Any]) -> dict[str, Any]:
    event = Event.objects.filter(resource_id=made["id"]).latest("sequence")
    envelope: dict[str, Any] = orjson.loads(event.payload)
    return envelope


def refunded_usd(intent: dict[str, Any]) -> Decimal:
    return PaymentIntent.objects.get(pk=intent["id"]).refunded_usd
