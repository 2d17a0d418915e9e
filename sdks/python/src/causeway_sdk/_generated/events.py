# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""The events as they are posted. Compare `event.type`, and `event.data` has its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from causeway_sdk._generated.models.events import (
    PaymentIntentEventData,
    PaymentIntentExpiredEventData,
    PaymentIntentFundsOwedEventData,
    PaymentIntentLatePaymentEventData,
    PaymentIntentOverpaidEventData,
    PaymentIntentPartiallyFilledEventData,
    PaymentIntentSettledEventData,
    PaymentIntentStrayArrivedEventData,
    PayoutEventData,
    PingEventData,
    RefundEventData,
    WebhookEndpointEventData,
    WebhookEventResource,
)
from causeway_sdk._models import Model
from causeway_sdk._wire import moment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from causeway_sdk._generated.words import (
        Mode,
    )


class PaymentIntentCancelledEvent(Model):
    """The merchant cancelled the intent."""

    type: Literal["payment_intent.cancelled"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentCreatedEvent(Model):
    """An intent was created."""

    type: Literal["payment_intent.created"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentExecutingEvent(Model):
    """The payer's transaction was seen; funds are moving."""

    type: Literal["payment_intent.executing"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentExpiredEvent(Model):
    """The intent's time ran out; partially_funded tells whether something had arrived."""

    type: Literal["payment_intent.expired"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentExpiredEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentExpiredEventData, "resource": WebhookEventResource}


class PaymentIntentFailedEvent(Model):
    """The intent ended without payment."""

    type: Literal["payment_intent.failed"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentFundsOwedEvent(Model):
    """A chain took money away that was refunded or paid out already: owed_usd."""

    type: Literal["payment_intent.funds_owed"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentFundsOwedEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentFundsOwedEventData, "resource": WebhookEventResource}


class PaymentIntentLatePaymentEvent(Model):
    """Funds arrived after the intent had expired or was cancelled."""

    type: Literal["payment_intent.late_payment"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentLatePaymentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentLatePaymentEventData, "resource": WebhookEventResource}


class PaymentIntentOverpaidEvent(Model):
    """More arrived than was asked for."""

    type: Literal["payment_intent.overpaid"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentOverpaidEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentOverpaidEventData, "resource": WebhookEventResource}


class PaymentIntentPartiallyFilledEvent(Model):
    """Some funds arrived, less than the amount, and nothing is under way."""

    type: Literal["payment_intent.partially_filled"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentPartiallyFilledEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentPartiallyFilledEventData, "resource": WebhookEventResource}


class PaymentIntentPaymentCountedElsewhereEvent(Model):
    """A transaction with this payment's mark counts for another one."""

    type: Literal["payment_intent.payment_counted_elsewhere"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentQuotedEvent(Model):
    """A routing plan was produced."""

    type: Literal["payment_intent.quoted"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentRefundedEvent(Model):
    """Everything that had arrived was refunded."""

    type: Literal["payment_intent.refunded"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentSettledEvent(Model):
    """The amount arrived and is final enough for the merchant's policy. Once per intent, ever."""

    type: Literal["payment_intent.settled"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentSettledEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentSettledEventData, "resource": WebhookEventResource}


class PaymentIntentSettlementRestoredEvent(Model):
    """A reversed settlement is back."""

    type: Literal["payment_intent.settlement_restored"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentSettlementReversedEvent(Model):
    """A settlement disappeared from its chain before it was final."""

    type: Literal["payment_intent.settlement_reversed"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentEventData, "resource": WebhookEventResource}


class PaymentIntentStrayArrivedEvent(Model):
    """A token came with a payment that it does not settle in: strays."""

    type: Literal["payment_intent.stray_arrived"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PaymentIntentStrayArrivedEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PaymentIntentStrayArrivedEventData, "resource": WebhookEventResource}


class PayoutCreatedEvent(Model):
    """A payout was created."""

    type: Literal["payout.created"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PayoutEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PayoutEventData, "resource": WebhookEventResource}


class PayoutFailedEvent(Model):
    """A payout failed."""

    type: Literal["payout.failed"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PayoutEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PayoutEventData, "resource": WebhookEventResource}


class PayoutPaidEvent(Model):
    """A payout is paid."""

    type: Literal["payout.paid"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PayoutEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PayoutEventData, "resource": WebhookEventResource}


class PayoutPausedEvent(Model):
    """A payout waits for approval, for the merchant or for a provider."""

    type: Literal["payout.paused"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PayoutEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PayoutEventData, "resource": WebhookEventResource}


class PayoutProcessingEvent(Model):
    """A payout is being sent."""

    type: Literal["payout.processing"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PayoutEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PayoutEventData, "resource": WebhookEventResource}


class PayoutRetryScheduledEvent(Model):
    """A payout could not be sent and will be tried again."""

    type: Literal["payout.retry_scheduled"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PayoutEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PayoutEventData, "resource": WebhookEventResource}


class PingEvent(Model):
    """Somebody asked for a test event."""

    type: Literal["ping"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: PingEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": PingEventData, "resource": WebhookEventResource}


class RefundCancelledEvent(Model):
    """A refund was cancelled before it was sent."""

    type: Literal["refund.cancelled"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: RefundEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": RefundEventData, "resource": WebhookEventResource}


class RefundCreatedEvent(Model):
    """A refund was created."""

    type: Literal["refund.created"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: RefundEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": RefundEventData, "resource": WebhookEventResource}


class RefundFailedEvent(Model):
    """A refund failed for good."""

    type: Literal["refund.failed"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: RefundEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": RefundEventData, "resource": WebhookEventResource}


class RefundMissingDestinationEvent(Model):
    """A refund waits for somebody to say where to send it."""

    type: Literal["refund.missing_destination"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: RefundEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": RefundEventData, "resource": WebhookEventResource}


class RefundPaidEvent(Model):
    """A refund is confirmed on its chain."""

    type: Literal["refund.paid"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: RefundEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": RefundEventData, "resource": WebhookEventResource}


class RefundProcessingEvent(Model):
    """A refund is being sent."""

    type: Literal["refund.processing"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: RefundEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": RefundEventData, "resource": WebhookEventResource}


class WebhookEndpointDisabledEvent(Model):
    """An endpoint was switched off because deliveries to it failed."""

    type: Literal["webhook_endpoint.disabled"]
    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    data: WebhookEndpointEventData
    """The rows of this page."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "data": WebhookEndpointEventData, "resource": WebhookEventResource}


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
    """When it was created. ISO 8601 in UTC."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""

    _read = {"created_at": moment}


Event: TypeAlias = (
    PaymentIntentCancelledEvent
    | PaymentIntentCreatedEvent
    | PaymentIntentExecutingEvent
    | PaymentIntentExpiredEvent
    | PaymentIntentFailedEvent
    | PaymentIntentFundsOwedEvent
    | PaymentIntentLatePaymentEvent
    | PaymentIntentOverpaidEvent
    | PaymentIntentPartiallyFilledEvent
    | PaymentIntentPaymentCountedElsewhereEvent
    | PaymentIntentQuotedEvent
    | PaymentIntentRefundedEvent
    | PaymentIntentSettledEvent
    | PaymentIntentSettlementRestoredEvent
    | PaymentIntentSettlementReversedEvent
    | PaymentIntentStrayArrivedEvent
    | PayoutCreatedEvent
    | PayoutFailedEvent
    | PayoutPaidEvent
    | PayoutPausedEvent
    | PayoutProcessingEvent
    | PayoutRetryScheduledEvent
    | PingEvent
    | RefundCancelledEvent
    | RefundCreatedEvent
    | RefundFailedEvent
    | RefundMissingDestinationEvent
    | RefundPaidEvent
    | RefundProcessingEvent
    | WebhookEndpointDisabledEvent
    | UnknownEvent
)
EVENTS: dict[str, type[Any]] = {
    "payment_intent.cancelled": PaymentIntentCancelledEvent,
    "payment_intent.created": PaymentIntentCreatedEvent,
    "payment_intent.executing": PaymentIntentExecutingEvent,
    "payment_intent.expired": PaymentIntentExpiredEvent,
    "payment_intent.failed": PaymentIntentFailedEvent,
    "payment_intent.funds_owed": PaymentIntentFundsOwedEvent,
    "payment_intent.late_payment": PaymentIntentLatePaymentEvent,
    "payment_intent.overpaid": PaymentIntentOverpaidEvent,
    "payment_intent.partially_filled": PaymentIntentPartiallyFilledEvent,
    "payment_intent.payment_counted_elsewhere": PaymentIntentPaymentCountedElsewhereEvent,
    "payment_intent.quoted": PaymentIntentQuotedEvent,
    "payment_intent.refunded": PaymentIntentRefundedEvent,
    "payment_intent.settled": PaymentIntentSettledEvent,
    "payment_intent.settlement_restored": PaymentIntentSettlementRestoredEvent,
    "payment_intent.settlement_reversed": PaymentIntentSettlementReversedEvent,
    "payment_intent.stray_arrived": PaymentIntentStrayArrivedEvent,
    "payout.created": PayoutCreatedEvent,
    "payout.failed": PayoutFailedEvent,
    "payout.paid": PayoutPaidEvent,
    "payout.paused": PayoutPausedEvent,
    "payout.processing": PayoutProcessingEvent,
    "payout.retry_scheduled": PayoutRetryScheduledEvent,
    "ping": PingEvent,
    "refund.cancelled": RefundCancelledEvent,
    "refund.created": RefundCreatedEvent,
    "refund.failed": RefundFailedEvent,
    "refund.missing_destination": RefundMissingDestinationEvent,
    "refund.paid": RefundPaidEvent,
    "refund.processing": RefundProcessingEvent,
    "webhook_endpoint.disabled": WebhookEndpointDisabledEvent,
}


def event_of(values: Mapping[str, Any]) -> Event:
    """The event in these values; of a type that this version does not know, a plain one."""
    found: Event = EVENTS.get(str(values.get("type")), UnknownEvent)(values)
    return found
