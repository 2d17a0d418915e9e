# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._models import Model
from causeway_sdk._wire import decimal, moment

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._generated.words import (
        IntentStatus,
        Mode,
        PaymentProblem,
        SettledReason,
    )


class PaymentIntentLastError(Model):
    """PaymentIntentLastError, as the service sends it."""

    code: PaymentProblem
    """Why a payment, or one attempt to pay, failed."""
    message: str


class PaymentIntent(Model):
    """PaymentIntent, as the service sends it."""

    id: str
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    mode: Mode
    """Test moves no real money; live does."""
    status: IntentStatus
    """Where a payment intent stands. See docs/states for every change of status."""
    checkout_url: str
    settlement_chain: str
    settlement_token: str
    settlement_address: str
    customer_email: str | None
    expires_at: datetime
    created_at: datetime
    metadata: dict[str, Any]
    amount_received: Decimal
    amount_due: Decimal
    overpaid_usd: Decimal
    platform_fee_usd: Decimal | None
    """Paid by the payer on top of what arrived; null until it is settled."""
    amount_refunded_usd: Decimal
    partially_funded: bool
    in_doubt: bool
    last_error: PaymentIntentLastError | None
    failure_reason: PaymentProblem | None
    settled_at: datetime | None
    settled_reason: SettledReason | None
    cancelled_at: datetime | None
    reference: str | None
    return_url: str | None

    _read = {
        "amount": decimal,
        "expires_at": moment,
        "created_at": moment,
        "amount_received": decimal,
        "amount_due": decimal,
        "overpaid_usd": decimal,
        "platform_fee_usd": decimal,
        "amount_refunded_usd": decimal,
        "last_error": PaymentIntentLastError,
        "settled_at": moment,
        "cancelled_at": moment,
    }


class Stray(Model):
    """Stray, as the service sends it."""

    id: str
    """Names it where it is given back: `stray_id` of a refund."""
    chain: str
    token: str | None
    token_address: str
    amount: Decimal | None
    tx_hash: str
    payer: str | None
    """The wallet that provably sent it; null: nobody's."""

    _read = {"amount": decimal}
