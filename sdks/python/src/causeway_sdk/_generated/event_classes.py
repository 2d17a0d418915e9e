# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""The events as they are posted, a class for each type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from causeway_sdk._generated.models.payment_intent_events import (
    PaymentIntentEventData,
    PaymentIntentExpiredEventData,
    PaymentIntentFundsOwedEventData,
    PaymentIntentLatePaymentEventData,
    PaymentIntentOverpaidEventData,
    PaymentIntentPartiallyFilledEventData,
    PaymentIntentSettledEventData,
    PaymentIntentStrayArrivedEventData,
)
from causeway_sdk._generated.models.payout_events import PayoutEventData
from causeway_sdk._generated.models.ping_events import PingEventData
from causeway_sdk._generated.models.refund_events import RefundEventData
from causeway_sdk._generated.models.shared import WebhookEventResource
from causeway_sdk._generated.models.webhook_endpoint_events import WebhookEndpointEventData
from causeway_sdk._models import Model
from causeway_sdk._wire import moment

if TYPE_CHECKING:
    from datetime import datetime

    from causeway_sdk._generated.words import (
        Mode,
    )


class EventBase(Model):
    """What every event has."""

    id: str
    """`evt_` and 32 hex digits; the same in every attempt."""
    created_at: datetime
    """When it happened. ISO 8601 in UTC."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    api_version: str
    """The version of this API."""
    sequence: int
    """Counts without gaps per resource."""
    resource: WebhookEventResource
    """The resource that the event is about."""

    _read = {"created_at": moment, "resource": WebhookEventResource}


class PaymentIntentCancelledEvent(EventBase):
    """The merchant cancelled the intent."""

    type: Literal["payment_intent.cancelled"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentCreatedEvent(EventBase):
    """An intent was created."""

    type: Literal["payment_intent.created"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentExecutingEvent(EventBase):
    """The payer's transaction was seen; funds are moving."""

    type: Literal["payment_intent.executing"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentExpiredEvent(EventBase):
    """The intent's time ran out; partially_funded tells whether something had arrived."""

    type: Literal["payment_intent.expired"]
    data: PaymentIntentExpiredEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentExpiredEventData}


class PaymentIntentFailedEvent(EventBase):
    """The intent ended without payment."""

    type: Literal["payment_intent.failed"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentFundsOwedEvent(EventBase):
    """A chain took money away that was refunded or paid out already: owed_usd."""

    type: Literal["payment_intent.funds_owed"]
    data: PaymentIntentFundsOwedEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentFundsOwedEventData}


class PaymentIntentLatePaymentEvent(EventBase):
    """Funds arrived after the intent had expired or was cancelled."""

    type: Literal["payment_intent.late_payment"]
    data: PaymentIntentLatePaymentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentLatePaymentEventData}


class PaymentIntentOverpaidEvent(EventBase):
    """More arrived than was asked for."""

    type: Literal["payment_intent.overpaid"]
    data: PaymentIntentOverpaidEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentOverpaidEventData}


class PaymentIntentPartiallyFilledEvent(EventBase):
    """Some funds arrived, less than the amount, and nothing is under way."""

    type: Literal["payment_intent.partially_filled"]
    data: PaymentIntentPartiallyFilledEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentPartiallyFilledEventData}


class PaymentIntentPaymentCountedElsewhereEvent(EventBase):
    """A transaction with this payment's mark counts for another one."""

    type: Literal["payment_intent.payment_counted_elsewhere"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentQuotedEvent(EventBase):
    """A routing plan was produced."""

    type: Literal["payment_intent.quoted"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentRefundedEvent(EventBase):
    """Everything that had arrived was refunded."""

    type: Literal["payment_intent.refunded"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentSettledEvent(EventBase):
    """The amount arrived and is final enough for the merchant's policy. Once per intent, ever."""

    type: Literal["payment_intent.settled"]
    data: PaymentIntentSettledEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentSettledEventData}


class PaymentIntentSettlementRestoredEvent(EventBase):
    """A reversed settlement is back."""

    type: Literal["payment_intent.settlement_restored"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentSettlementReversedEvent(EventBase):
    """A settlement disappeared from its chain before it was final."""

    type: Literal["payment_intent.settlement_reversed"]
    data: PaymentIntentEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentEventData}


class PaymentIntentStrayArrivedEvent(EventBase):
    """A token came with a payment that it does not settle in: strays."""

    type: Literal["payment_intent.stray_arrived"]
    data: PaymentIntentStrayArrivedEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PaymentIntentStrayArrivedEventData}


class PayoutCreatedEvent(EventBase):
    """A payout was created."""

    type: Literal["payout.created"]
    data: PayoutEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PayoutEventData}


class PayoutFailedEvent(EventBase):
    """A payout failed."""

    type: Literal["payout.failed"]
    data: PayoutEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PayoutEventData}


class PayoutPaidEvent(EventBase):
    """A payout is paid."""

    type: Literal["payout.paid"]
    data: PayoutEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PayoutEventData}


class PayoutPausedEvent(EventBase):
    """A payout waits for approval, for the merchant or for a provider."""

    type: Literal["payout.paused"]
    data: PayoutEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PayoutEventData}


class PayoutProcessingEvent(EventBase):
    """A payout is being sent."""

    type: Literal["payout.processing"]
    data: PayoutEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PayoutEventData}


class PayoutRetryScheduledEvent(EventBase):
    """A payout could not be sent and will be tried again."""

    type: Literal["payout.retry_scheduled"]
    data: PayoutEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PayoutEventData}


class PingEvent(EventBase):
    """Somebody asked for a test event."""

    type: Literal["ping"]
    data: PingEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": PingEventData}


class RefundCancelledEvent(EventBase):
    """A refund was cancelled before it was sent."""

    type: Literal["refund.cancelled"]
    data: RefundEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": RefundEventData}


class RefundCreatedEvent(EventBase):
    """A refund was created."""

    type: Literal["refund.created"]
    data: RefundEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": RefundEventData}


class RefundFailedEvent(EventBase):
    """A refund failed for good."""

    type: Literal["refund.failed"]
    data: RefundEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": RefundEventData}


class RefundMissingDestinationEvent(EventBase):
    """A refund waits for somebody to say where to send it."""

    type: Literal["refund.missing_destination"]
    data: RefundEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": RefundEventData}


class RefundPaidEvent(EventBase):
    """A refund is confirmed on its chain."""

    type: Literal["refund.paid"]
    data: RefundEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": RefundEventData}


class RefundProcessingEvent(EventBase):
    """A refund is being sent."""

    type: Literal["refund.processing"]
    data: RefundEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": RefundEventData}


class WebhookEndpointDisabledEvent(EventBase):
    """An endpoint was switched off because deliveries to it failed."""

    type: Literal["webhook_endpoint.disabled"]
    data: WebhookEndpointEventData
    """The resource as it was when the event happened."""

    _read = {**EventBase._read, "data": WebhookEndpointEventData}


class UnknownEvent(EventBase):
    """An event of a type that this version does not know.

    At run time `type` is the type that came. A type checker reads another word, so that comparing the `type` of an
    event with a known one leaves no unknown event over.
    """

    type: Literal["unknown"]
    data: dict[str, Any]
