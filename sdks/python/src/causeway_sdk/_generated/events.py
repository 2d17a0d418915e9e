# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""The events as they are posted. Compare `event.type`, and `event.data` has its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from causeway_sdk._generated.models.events import (
    PaymentIntentEventData,
    PayoutEventData,
    RefundEventData,
    WebhookEventResource,
)
from causeway_sdk._models import Model
from causeway_sdk._wire import moment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from causeway_sdk._generated.words import (
        Mode,
        PaymentIntentEventMode,
        PayoutEventMode,
        RefundEventMode,
    )


class PaymentIntentEvent(Model):
    """An event of a payment_intent."""

    type: Literal[
        "payment_intent.created",
        "payment_intent.quoted",
        "payment_intent.executing",
        "payment_intent.partially_filled",
        "payment_intent.settled",
        "payment_intent.failed",
        "payment_intent.expired",
        "payment_intent.cancelled",
        "payment_intent.refunded",
        "payment_intent.late_payment",
        "payment_intent.overpaid",
        "payment_intent.settlement_reversed",
        "payment_intent.settlement_restored",
        "payment_intent.funds_owed",
        "payment_intent.stray_arrived",
        "payment_intent.payment_counted_elsewhere",
    ]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    data: PaymentIntentEventData
    mode: PaymentIntentEventMode
    api_version: str
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PayoutEvent(Model):
    """An event of a payout."""

    type: Literal[
        "payout.created", "payout.processing", "payout.retry_scheduled", "payout.paused", "payout.paid", "payout.failed"
    ]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    data: PayoutEventData
    mode: PayoutEventMode
    api_version: str
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource

    _read = {"created_at": moment, "data": PayoutEventData, "resource": WebhookEventResource}


class PingEvent(Model):
    """Somebody asked for a test event."""

    type: Literal["ping"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    data: dict[str, Any]
    mode: Mode
    """Test moves no real money; live does."""
    api_version: str
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource

    _read = {"created_at": moment, "resource": WebhookEventResource}


class RefundEvent(Model):
    """An event of a refund."""

    type: Literal[
        "refund.created",
        "refund.missing_destination",
        "refund.processing",
        "refund.paid",
        "refund.failed",
        "refund.cancelled",
    ]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    data: RefundEventData
    mode: RefundEventMode
    api_version: str
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource

    _read = {"created_at": moment, "data": RefundEventData, "resource": WebhookEventResource}


class WebhookEndpointDisabledEvent(Model):
    """An endpoint was switched off because deliveries to it failed."""

    type: Literal["webhook_endpoint.disabled"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    data: dict[str, Any]
    mode: Mode
    """Test moves no real money; live does."""
    api_version: str
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource

    _read = {"created_at": moment, "resource": WebhookEventResource}


class UnknownEvent(Model):
    """An event of a type that this version does not know.

    At run time `type` is the type that came. A type checker reads another word, so that comparing the `type` of an
    event with a known one leaves no unknown event over.
    """

    type: Literal["unknown"]
    data: dict[str, Any]

    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    api_version: str
    sequence: int
    """Counts without gaps per resource."""

    _read = {"created_at": moment}


Event: TypeAlias = (
    PaymentIntentEvent | PayoutEvent | PingEvent | RefundEvent | WebhookEndpointDisabledEvent | UnknownEvent
)
EVENTS: dict[str, type[Any]] = {
    "payment_intent.created": PaymentIntentEvent,
    "payment_intent.quoted": PaymentIntentEvent,
    "payment_intent.executing": PaymentIntentEvent,
    "payment_intent.partially_filled": PaymentIntentEvent,
    "payment_intent.settled": PaymentIntentEvent,
    "payment_intent.failed": PaymentIntentEvent,
    "payment_intent.expired": PaymentIntentEvent,
    "payment_intent.cancelled": PaymentIntentEvent,
    "payment_intent.refunded": PaymentIntentEvent,
    "payment_intent.late_payment": PaymentIntentEvent,
    "payment_intent.overpaid": PaymentIntentEvent,
    "payment_intent.settlement_reversed": PaymentIntentEvent,
    "payment_intent.settlement_restored": PaymentIntentEvent,
    "payment_intent.funds_owed": PaymentIntentEvent,
    "payment_intent.stray_arrived": PaymentIntentEvent,
    "payment_intent.payment_counted_elsewhere": PaymentIntentEvent,
    "payout.created": PayoutEvent,
    "payout.processing": PayoutEvent,
    "payout.retry_scheduled": PayoutEvent,
    "payout.paused": PayoutEvent,
    "payout.paid": PayoutEvent,
    "payout.failed": PayoutEvent,
    "ping": PingEvent,
    "refund.created": RefundEvent,
    "refund.missing_destination": RefundEvent,
    "refund.processing": RefundEvent,
    "refund.paid": RefundEvent,
    "refund.failed": RefundEvent,
    "refund.cancelled": RefundEvent,
    "webhook_endpoint.disabled": WebhookEndpointDisabledEvent,
}


def event_of(values: Mapping[str, Any]) -> Event:
    """The event in these values; of a type that this version does not know, a plain one."""
    found: Event = EVENTS.get(str(values.get("type")), UnknownEvent)(values)
    return found
