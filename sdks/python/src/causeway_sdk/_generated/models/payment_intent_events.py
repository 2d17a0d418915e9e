# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: payment intent events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._generated.models.shared import Stray
from causeway_sdk._models import Model, many
from causeway_sdk._wire import decimal, moment

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._generated.words import (
        IntentStatus,
        Mode,
        PaymentProblem,
    )


class PaymentIntentEventData(Model):
    """PaymentIntentEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""

    _read = {"amount": decimal, "amount_received": decimal, "settled_at": moment}


class PaymentIntentExpiredEventData(Model):
    """PaymentIntentExpiredEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    partially_funded: bool
    """Whether something arrived, but less than the amount."""

    _read = {"amount": decimal, "amount_received": decimal, "settled_at": moment}


class PaymentIntentFundsOwedEventData(Model):
    """PaymentIntentFundsOwedEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    owed_usd: Decimal
    """What you owe because a chain took back money that was paid out already, in US dollars."""

    _read = {"amount": decimal, "amount_received": decimal, "settled_at": moment, "owed_usd": decimal}


class PaymentIntentLatePaymentEventData(Model):
    """PaymentIntentLatePaymentEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    amount_due: Decimal
    """What is still to be paid, in US dollars, as a decimal string."""
    partially_funded: bool
    """Whether something arrived, but less than the amount."""

    _read = {"amount": decimal, "amount_received": decimal, "settled_at": moment, "amount_due": decimal}


class PaymentIntentOverpaidEventData(Model):
    """PaymentIntentOverpaidEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    overpaid_usd: Decimal
    """What arrived beyond the amount, in US dollars, as a decimal string."""

    _read = {"amount": decimal, "amount_received": decimal, "settled_at": moment, "overpaid_usd": decimal}


class PaymentIntentPartiallyFilledEventData(Model):
    """PaymentIntentPartiallyFilledEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    amount_due: Decimal
    """What is still to be paid, in US dollars, as a decimal string."""

    _read = {"amount": decimal, "amount_received": decimal, "settled_at": moment, "amount_due": decimal}


class PaymentIntentSettledEventData(Model):
    """PaymentIntentSettledEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    platform_fee_usd: Decimal | None
    """Paid by the payer on top of what arrived; null until it is settled."""
    net_settlement_usd: Decimal | None
    """What is left for you after fees, in US dollars; null until it is settled."""

    _read = {
        "amount": decimal,
        "amount_received": decimal,
        "settled_at": moment,
        "platform_fee_usd": decimal,
        "net_settlement_usd": decimal,
    }


class PaymentIntentStrayArrivedEventData(Model):
    """PaymentIntentStrayArrivedEventData, as the service sends it."""

    id: str
    """Its id."""
    amount: Decimal
    """Decimal string with two places."""
    currency: str
    """Always `USD`."""
    settlement_chain: str
    """The chain that the money settles on."""
    settlement_token: str
    """The symbol of the token that the money settles in, such as `USDC`."""
    metadata: dict[str, Any]
    """Your own keys and values, returned unchanged."""
    status: IntentStatus
    """Where it stands."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    amount_received: Decimal
    """What has arrived and counts, in US dollars, as a decimal string."""
    failure_reason: PaymentProblem | None
    """Why it failed or waits; null if it does neither."""
    settled_at: datetime | None
    """When it was settled; null until then. ISO 8601 in UTC."""
    reference: str | None
    """Your own order number; null if you gave none."""
    strays: list[Stray]
    """Other tokens that came with the payment; they count for nothing and can be given back."""

    _read = {"amount": decimal, "amount_received": decimal, "settled_at": moment, "strays": many(Stray)}
