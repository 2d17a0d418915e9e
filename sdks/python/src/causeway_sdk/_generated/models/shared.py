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
        EventResourceType,
        IntentStatus,
        Mode,
        PaymentProblem,
        SettledReason,
    )


class PaymentIntentLastError(Model):
    """PaymentIntentLastError, as the service sends it."""

    code: PaymentProblem
    """A stable word for programs."""
    message: str
    """The same in one sentence for people."""


class PaymentIntent(Model):
    """PaymentIntent, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    status: IntentStatus
    """Where the payment stands."""
    checkout_url: str
    """The hosted payment page: send the payer there."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    settlement_address: str
    """The address that the money settles at."""
    customer_email: str | None
    """The payer's e-mail address, as you gave it; null if you gave none."""
    expires_at: datetime
    """Until when it can be paid. ISO 8601 in UTC."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    amount_due: Decimal
    """What is still to be paid, in US dollars, as a decimal string."""
    overpaid_usd: Decimal
    """What arrived beyond the amount, in US dollars, as a decimal string."""
    platform_fee_usd: Decimal | None
    """Paid by the payer on top of what arrived; null until it is settled."""
    amount_refunded_usd: Decimal
    """What was refunded so far, in US dollars, as a decimal string."""
    partially_funded: bool
    """Whether something arrived, but less than the amount."""
    in_doubt: bool
    """True while the outcome of a sent transaction is unknown; the payer must not pay again."""
    last_error: PaymentIntentLastError | None
    """Why the last attempt to pay ended; null if none has failed."""
    failure_reason: PaymentProblem | None
    """Why the payment failed; null if it did not."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    settled_reason: SettledReason | None
    """Why it counts as settled although not exactly its amount arrived in time; else null."""
    cancelled_at: datetime | None
    """When it was cancelled; null if it was not. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    return_url: str | None
    """Where the payer is sent back to; null if you gave no address."""

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
    """The chain's name, such as `base` or `solana`."""
    token: str | None
    """The symbol of the token; null where it is on no list."""
    token_address: str
    """The token's contract or mint."""
    amount: Decimal | None
    """How much came, in the token, as a decimal string; null where its decimals are unknown."""
    tx_hash: str
    """The hash of the transaction; null until there is one."""
    payer: str | None
    """The wallet that provably sent it; null: nobody's."""

    _read = {"amount": decimal}


class WebhookEventResource(Model):
    """WebhookEventResource, as the service sends it."""

    type: EventResourceType
    """The kind of resource, such as `payment_intent`."""
    id: str
    """The id of that resource."""
