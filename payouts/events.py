"""What receivers are told about payouts. Source: specification, Payout; docs/payouts.md, Events."""

from typing import Any

from django.db import models

from core.clock import optional_wire_time, wire_time
from core.money import to_decimal_string
from payouts.models import Payout
from webhooks.services import draft_next_event


def payout_body(payout: Payout) -> dict[str, Any]:
    """A payout on the wire; same keys and types as ``PayoutSerializer``."""
    return {
        "id": str(payout.pk),
        "payment_intent_id": str(payout.intent_id) if payout.intent_id else None,
        "rail": payout.rail,
        "destination": payout.destination,
        "chain": payout.chain,
        "token": payout.token,
        "amount": to_decimal_string(payout.amount_usd),
        "currency": payout.currency,
        "status": payout.status,
        "tx_hash": payout.tx_hash or None,
        "failure_reason": payout.failure_reason or None,
        "attempts": payout.attempts,
        "next_attempt_at": optional_wire_time(payout.retry_at),
        "paid_at": optional_wire_time(payout.paid_at),
        "created_at": wire_time(payout.created_at),
    }


def event_body(payout: Payout) -> dict[str, Any]:
    """The ``data`` of an event: the whole payout, and what the merchant wrote on its intent."""
    return payout_body(payout) | {"metadata": payout.intent.metadata if payout.intent else {}}


def announce(payout: Payout, event: str) -> list[models.Model]:
    """The event row of a change, numbered per payout, to be stored in the change's own transaction."""
    return [draft_next_event(payout, event, "payout", event_body(payout))]
