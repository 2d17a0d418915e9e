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
        EndpointDisabledReason,
        EventResourceType,
        IntentStatus,
        Mode,
        PaymentProblem,
        PayoutFailureReason,
        PayoutRail,
        PayoutStatus,
        RefundFailureReason,
        RefundStatus,
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


class PingEventData(Model):
    """PingEventData, as the service sends it."""

    id: str
    """Its id."""
    message: str
    """A sentence for people."""


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


class WebhookEndpointEventData(Model):
    """WebhookEndpointEventData, as the service sends it."""

    id: str
    """Its id."""
    url: str
    """Where events are posted to."""
    enabled: bool
    """Whether events are sent to it."""
    reason: EndpointDisabledReason
    """Why, in your own words."""


class WebhookEventResource(Model):
    """WebhookEventResource, as the service sends it."""

    type: EventResourceType
    """The kind of resource, such as `payment_intent`."""
    id: str
    """The id of that resource."""
