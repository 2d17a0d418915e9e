"""What an event says of its resource, also where its type is of tomorrow and the resource is known."""

from __future__ import annotations

from typing import Any

from causeway_sdk.types import PaymentIntentEventData, PayoutEventData, RefundEventData
from causeway_sdk.webhooks import UnknownEvent

_KINDS: dict[str, Any] = {
    "payment_intent": PaymentIntentEventData,
    "refund": RefundEventData,
    "payout": PayoutEventData,
}


def facts_of(event: Any) -> Any:
    """The resource as it was when the event happened; None for a resource that this version does not know."""
    kind = _KINDS.get(event.resource.type)
    if kind is None or not isinstance(event, UnknownEvent):
        return kind and event.data
    is_whole = event.data.keys() >= kind.__annotations__.keys()
    return kind(event.data) if is_whole else None
