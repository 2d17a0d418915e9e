# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Any event. Compare `event.type`, and `event.data` has its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from causeway_sdk._generated.event_classes import (
    PaymentIntentCancelledEvent,
    PaymentIntentCreatedEvent,
    PaymentIntentExecutingEvent,
    PaymentIntentExpiredEvent,
    PaymentIntentFailedEvent,
    PaymentIntentFundsOwedEvent,
    PaymentIntentLatePaymentEvent,
    PaymentIntentOverpaidEvent,
    PaymentIntentPartiallyFilledEvent,
    PaymentIntentPaymentCountedElsewhereEvent,
    PaymentIntentQuotedEvent,
    PaymentIntentRefundedEvent,
    PaymentIntentSettledEvent,
    PaymentIntentSettlementRestoredEvent,
    PaymentIntentSettlementReversedEvent,
    PaymentIntentStrayArrivedEvent,
    PayoutCreatedEvent,
    PayoutFailedEvent,
    PayoutPaidEvent,
    PayoutPausedEvent,
    PayoutProcessingEvent,
    PayoutRetryScheduledEvent,
    PingEvent,
    RefundCancelledEvent,
    RefundCreatedEvent,
    RefundFailedEvent,
    RefundMissingDestinationEvent,
    RefundPaidEvent,
    RefundProcessingEvent,
    UnknownEvent,
    WebhookEndpointDisabledEvent,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

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
__all__ = [
    "EVENTS",
    "Event",
    "PaymentIntentCancelledEvent",
    "PaymentIntentCreatedEvent",
    "PaymentIntentExecutingEvent",
    "PaymentIntentExpiredEvent",
    "PaymentIntentFailedEvent",
    "PaymentIntentFundsOwedEvent",
    "PaymentIntentLatePaymentEvent",
    "PaymentIntentOverpaidEvent",
    "PaymentIntentPartiallyFilledEvent",
    "PaymentIntentPaymentCountedElsewhereEvent",
    "PaymentIntentQuotedEvent",
    "PaymentIntentRefundedEvent",
    "PaymentIntentSettledEvent",
    "PaymentIntentSettlementRestoredEvent",
    "PaymentIntentSettlementReversedEvent",
    "PaymentIntentStrayArrivedEvent",
    "PayoutCreatedEvent",
    "PayoutFailedEvent",
    "PayoutPaidEvent",
    "PayoutPausedEvent",
    "PayoutProcessingEvent",
    "PayoutRetryScheduledEvent",
    "PingEvent",
    "RefundCancelledEvent",
    "RefundCreatedEvent",
    "RefundFailedEvent",
    "RefundMissingDestinationEvent",
    "RefundPaidEvent",
    "RefundProcessingEvent",
    "UnknownEvent",
    "WebhookEndpointDisabledEvent",
    "event_of",
]


def event_of(values: Mapping[str, Any]) -> Event:
    """The event in these values; of a type that this version does not know, a plain one."""
    found: Event = EVENTS.get(str(values.get("type")), UnknownEvent)(values)
    return found
