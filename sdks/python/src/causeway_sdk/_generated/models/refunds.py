# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: refunds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model, many
from causeway_sdk._wire import decimal, moment

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._generated.words import (
        RefundFailureReason,
        RefundStatus,
        WalletFamily,
    )


class PayerShare(Model):
    """PayerShare, as the service sends it."""

    wallet: str
    """The address of the wallet."""
    family: WalletFamily | None
    """`evm` or `solana`; null for a made-up test wallet."""
    paid_usd: Decimal
    """What it paid, in US dollars."""
    paid_units: str
    """What it paid, in base units of the settlement token."""
    returned_usd: Decimal
    """By refunds to it, or claimed by it, that did not fail."""
    returned_units: str
    """What was refunded to it, in base units of the settlement token."""
    unreturned_usd: Decimal
    """What it paid and did not get back yet."""
    unreturned_units: str
    """What it paid and did not get back yet, in base units of the settlement token."""

    _read = {"paid_usd": decimal, "returned_usd": decimal, "unreturned_usd": decimal}


class IntentPayers(Model):
    """IntentPayers, as the service sends it."""

    data: list[PayerShare]
    """The wallets that provably paid."""
    has_more: bool
    """At most 20 are named, those with the most left first."""
    next_cursor: str | None
    """Always null: who is not named cannot be asked for."""
    unproven_usd: Decimal
    """What arrived and is nobody's, since nothing proves who sent it."""
    refundable_usd: Decimal
    """What can be refunded now."""

    _read = {"data": many(PayerShare), "unproven_usd": decimal, "refundable_usd": decimal}


class Refund(Model):
    """Refund, as the service sends it."""

    id: str
    """Its id."""
    payment_intent_id: str
    """The payment intent that it belongs to."""
    amount_usd: Decimal
    """0 where a stray is given back: it never counted as dollars."""
    chain: str
    """The chain's name, such as `base` or `solana`."""
    token: str
    """The symbol of the token."""
    destination: str
    """Empty until it is known."""
    reason: str
    """Why, in your own words; empty if you gave none."""
    status: RefundStatus
    """Where it stands."""
    tx_hash: str | None
    """The hash of the transaction; null until there is one."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    paid_at: datetime | None
    """When it was paid; null until then. ISO 8601 in UTC."""
    failure_reason: RefundFailureReason | None
    """Why it is not paid, or not paid yet."""
    attempts: int
    """How often sending was begun."""
    updated_at: datetime
    """When it last changed. ISO 8601 in UTC."""
    stray_id: str | None
    """The stray that it gives back; else null."""
    token_amount: Decimal
    """What is sent, in the token, as a decimal."""
    suggested_destination: str | None
    """While it waits: the one wallet that paid as much. Ask the payer before you use it; it may be an exchange's. Null
    where several did, or none.
    """
    payers: list[PayerShare] | None
    """While it waits: who paid its intent, and what of it went back."""

    _read = {
        "amount_usd": decimal,
        "created_at": moment,
        "paid_at": moment,
        "updated_at": moment,
        "token_amount": decimal,
        "payers": many(PayerShare),
    }


class RefundsToPayers(Model):
    """RefundsToPayers, as the service sends it."""

    data: list[Refund]
    """One refund for each payer, those that send most first."""

    _read = {"data": many(Refund)}
