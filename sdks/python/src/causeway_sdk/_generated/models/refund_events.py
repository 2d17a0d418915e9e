# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: refund events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model
from causeway_sdk._wire import decimal, moment

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._generated.words import (
        RefundFailureReason,
        RefundStatus,
    )


class RefundEventData(Model):
    """RefundEventData, as the service sends it."""

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
    destination_tail: str
    """… and the last six characters."""
    reason: str
    """Why, in your own words."""
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

    _read = {
        "amount_usd": decimal,
        "created_at": moment,
        "paid_at": moment,
        "updated_at": moment,
        "token_amount": decimal,
    }
