# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._generated.models.shared import Stray
from causeway_sdk._models import Model, many
from causeway_sdk._wire import decimal, moment

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._generated.words import (
        EventResourceType,
        PaymentIntentEventDataFailureReason,
        PaymentIntentEventDataMode,
        PaymentIntentEventDataStatus,
        PayoutEventDataFailureReason,
        PayoutEventDataRail,
        PayoutEventDataStatus,
        RefundEventDataFailureReason,
        RefundEventDataStatus,
    )


class PaymentIntentEventData(Model):
    """PaymentIntentEventData, as the service sends it."""

    id: str
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    settlement_chain: str
    settlement_token: str
    metadata: dict[str, Any]
    status: PaymentIntentEventDataStatus
    mode: PaymentIntentEventDataMode
    amount_received: Decimal
    failure_reason: PaymentIntentEventDataFailureReason | None
    settled_at: datetime | None
    reference: str | None
    platform_fee_usd: Decimal | None
    """Paid by the payer on top of what arrived; null until it is settled."""
    net_settlement_usd: Decimal | None
    amount_due: Decimal | None
    partially_funded: bool | None
    overpaid_usd: Decimal | None
    owed_usd: Decimal | None
    strays: list[Stray] | None

    _read = {
        "amount": decimal,
        "amount_received": decimal,
        "settled_at": moment,
        "platform_fee_usd": decimal,
        "net_settlement_usd": decimal,
        "amount_due": decimal,
        "overpaid_usd": decimal,
        "owed_usd": decimal,
        "strays": many(Stray),
    }


class PayoutEventData(Model):
    """PayoutEventData, as the service sends it."""

    id: str
    payment_intent_id: str | None
    rail: PayoutEventDataRail
    destination: str
    chain: str
    token: str
    amount: Decimal
    """Decimal string with at least two places."""
    currency: str
    status: PayoutEventDataStatus
    tx_hash: str | None
    failure_reason: PayoutEventDataFailureReason | None
    """Why it is not paid, or not paid yet."""
    attempts: int
    next_attempt_at: datetime | None
    paid_at: datetime | None
    created_at: datetime
    metadata: dict[str, Any]

    _read = {"amount": decimal, "next_attempt_at": moment, "paid_at": moment, "created_at": moment}


class RefundEventData(Model):
    """RefundEventData, as the service sends it."""

    id: str
    payment_intent_id: str
    amount_usd: Decimal
    """0 where a stray is given back: it never counted as dollars."""
    chain: str
    token: str
    destination_tail: str
    """… and the last six characters."""
    reason: str
    status: RefundEventDataStatus
    tx_hash: str | None
    created_at: datetime
    paid_at: datetime | None
    failure_reason: RefundEventDataFailureReason | None
    """Why it is not paid, or not paid yet."""
    attempts: int
    """How often sending was begun."""
    updated_at: datetime
    stray_id: str | None
    """The stray that it gives back; else null."""
    token_amount: Decimal
    """What is sent, in the token, as a decimal."""

    _read = {
        "amount_usd": decimal,
        "created_at": moment,
        "paid_at": moment,
        "updated_at": moment,
        "token_amount": decimal,
    }


class WebhookEventResource(Model):
    """WebhookEventResource, as the service sends it."""

    type: EventResourceType
    """The kind of resource that an event is about."""
    id: str
