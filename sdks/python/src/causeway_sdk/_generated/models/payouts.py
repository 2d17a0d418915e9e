# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: payouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


class Payout(Model):
    """Payout, as the service sends it."""

    id: str
    payment_intent_id: str | None
    rail: PayoutRail
    """How a payout is sent."""
    destination: str
    chain: str
    token: str
    amount: Decimal
    """Decimal string with at least two places."""
    currency: str
    status: PayoutStatus
    """Where a payout stands."""
    tx_hash: str | None
    failure_reason: PayoutFailureReason | None
    """Why it is not paid, or not paid yet."""
    attempts: int
    next_attempt_at: datetime | None
    paid_at: datetime | None
    created_at: datetime

    _read = {"amount": decimal, "next_attempt_at": moment, "paid_at": moment, "created_at": moment}
