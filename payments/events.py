"""What receivers are told about intents. Source: specification, Events; docs/webhooks.md, Events."""

from typing import Any

from django.db import models

from core.clock import optional_wire_time
from core.money import optional_decimal_string, to_decimal_string
from payments.amounts import amount_due, is_partially_funded
from payments.models import PaymentIntent
from payments.strays import STRAY_ARRIVED, strays_of
from webhooks.services import draft_next_event

_EXTRA_KEYS = {
    "payment_intent.settled": ("platform_fee_usd", "net_settlement_usd"),
    "payment_intent.partially_filled": ("amount_due",),
    "payment_intent.expired": ("partially_funded",),
    "payment_intent.late_payment": ("amount_due", "partially_funded"),
    "payment_intent.overpaid": ("overpaid_usd",),
    "payment_intent.funds_owed": ("owed_usd",),
    STRAY_ARRIVED: ("strays",),
}


def event_body(intent: PaymentIntent, event: str) -> dict[str, Any]:
    """The ``data`` of an event: the specification's six keys and the additive ones."""
    body: dict[str, Any] = {
        "id": str(intent.pk),
        "amount": to_decimal_string(intent.amount),
        "currency": intent.currency,
        "settlement_chain": intent.settlement_chain,
        "settlement_token": intent.settlement_token,
        "metadata": intent.metadata,
        "status": intent.status,
        "mode": intent.mode,
        "amount_received": to_decimal_string(intent.received_usd),
        "failure_reason": intent.failure_reason or None,
        "settled_at": optional_wire_time(intent.settled_at),
        "reference": intent.reference or None,
    }
    extra: dict[str, Any] = {
        "amount_due": to_decimal_string(amount_due(intent)),
        "partially_funded": is_partially_funded(intent),
        "overpaid_usd": to_decimal_string(intent.overpaid_usd),
        "owed_usd": to_decimal_string(intent.owed_usd),
        "platform_fee_usd": optional_decimal_string(intent.platform_fee_usd),
        "net_settlement_usd": optional_decimal_string(intent.net_settlement_usd),
    }
    if event == STRAY_ARRIVED:
        extra["strays"] = strays_of(intent)
    return body | {name: extra[name] for name in _EXTRA_KEYS.get(event, ())}


def announce(intent: PaymentIntent, event: str) -> list[models.Model]:
    """The event row of a change, numbered per intent, to be stored in the change's own transaction."""
    return [draft_next_event(intent, event, "payment_intent", event_body(intent, event))]
