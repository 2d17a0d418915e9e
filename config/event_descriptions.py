"""The description's ``webhooks`` section: what receivers are sent, one entry per row of the event catalogue."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiResponse, OpenApiWebhook, extend_schema
from rest_framework import serializers

from core.openapi import component, component_of
from core.shapes import Field, fields_of
from payments import events as intent_events
from payouts.events import PayoutEventShape
from refunds import events as refund_events
from webhooks.catalog import EVENT_TYPES, EventType
from webhooks.events import WebhookEventShape

SIGNED = (
    "Sent by POST with `Svc-Signature: t=<unix-seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the "
    "endpoint's whole secret. Refuse when no `v1` matches or `t` is more than 300 seconds away. During a rotation "
    "there are two `v1`. Also sent: `Svc-Event-Id`, `Svc-Event-Type`, `Svc-Delivery-Id`, `Svc-Attempt`. "
    "An event can come twice: remember its `id`."
)


def _event(name: str, fields: Mapping[str, Field]) -> type[serializers.Serializer[Any]]:
    body = component_of(f"{name}Data", fields)
    return type(name, (component(WebhookEventShape),), {"data": body()})


_BODIES: dict[str, Any] = {
    "payment_intent": _event("PaymentIntentEvent", intent_events.event_fields()),
    "refund": _event("RefundEvent", refund_events.event_fields()),
    "payout": _event("PayoutEvent", fields_of(PayoutEventShape)),
}
_RECEIVED = {
    200: OpenApiResponse(description="Any 2xx within 10 seconds: received."),
    401: OpenApiResponse(description="Your refusal of a request whose signature does not verify."),
    410: OpenApiResponse(description="Stop: the endpoint is disabled."),
}


def _described(event: EventType) -> OpenApiWebhook:
    decorator: Any = extend_schema(
        operation_id=f"on_{event.name.replace('.', '_')}",
        summary=event.when,
        description=SIGNED,
        tags=["Events"],
        request=_BODIES.get(event.resource, component(WebhookEventShape)),
        responses=_RECEIVED,
    )
    return OpenApiWebhook(name=event.name, decorator=decorator)


EVENTS = [_described(event) for event in EVENT_TYPES]
