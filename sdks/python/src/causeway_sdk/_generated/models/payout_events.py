# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: payout events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._models import Model
from causeway_sdk._wire import decimal, moment

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._generated.words import (
        PayoutFailureReason,
        PayoutRail,
        PayoutStatus,
    )


class PayoutEventData(Model):
    """PayoutEventData, as the service sends it."""

    id: str
    """Its id."""
    payment_intent_id: str | None
    """The payment intent that it belongs to."""
    rail: PayoutRail
    """How it is sent."""
    destination: str
    """The address that is paid."""
    chain: str
    """The chain's name, such as `base` or `solana`."""
    token: str
    """The symbol of the token."""
    amount: Decimal
    """Decimal string with at least two places."""
    currency: str
    """Always `USD`."""
    status: PayoutStatus
    """Where it stands."""
    tx_hash: str | None
    """The hash of the transaction; null until there is one."""
    failure_reason: PayoutFailureReason | None
    """Why it is not paid, or not paid yet."""
    attempts: int
    """How many times it was tried."""
    next_attempt_at: datetime | None
    """When it is tried again; null if it is not. ISO 8601 in UTC."""
    paid_at: datetime | None
    """When it was paid; null until then. ISO 8601 in UTC."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""

    _read = {"amount": decimal, "next_attempt_at": moment, "paid_at": moment, "created_at": moment}
