"""The description's ``webhooks`` section: what receivers are sent, one entry per row of the event catalogue."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from drf_spectacular.settings import spectacular_settings
from drf_spectacular.utils import OpenApiResponse, OpenApiWebhook, extend_schema, extend_schema_field
from rest_framework import serializers

from core.openapi import component, component_of
from core.shapes import Field, fields_of
from payments import events as intent_events
from payouts.events import PayoutEventShape
from refunds import events as refund_events
from webhooks.catalog import EVENT_TYPES, EventType
from webhooks.events import EndpointDisabledDataShape, PingDataShape, WebhookEventShape

SIGNED = (
    "Sent by POST with `Svc-Signature: t=<unix-seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the "
    "endpoint's whole secret. Refuse when no `v1` matches or `t` is more than 300 seconds away. During a rotation "
    "there are two `v1`. Also sent: `Svc-Event-Id`, `Svc-Event-Type`, `Svc-Delivery-Id`, `Svc-Attempt`. "
    "An event can come twice: remember its `id`."
)


_DATA: dict[str, Mapping[str, Field]] = {
    "payment_intent": intent_events.event_fields(),
    "refund": refund_events.event_fields(),
    "payout": fields_of(PayoutEventShape),
    "webhook_endpoint": fields_of(EndpointDisabledDataShape),
    "ping": fields_of(PingDataShape),
}
"""What all events of a resource carry."""


def name_of(event: EventType) -> str:
    """What the description calls an event of this type: ``PaymentIntentSettledEvent``."""
    return "".join(word.capitalize() for word in re.split(r"[._]", event.name)) + "Event"


def _data(event: EventType) -> type[serializers.Serializer[Any]]:
    """Its data; a component of its own where it carries more than others of its resource."""
    fields = intent_events.event_fields(event.name) if event.resource == "payment_intent" else _DATA[event.resource]
    if len(fields) > len(_DATA[event.resource]):
        return component_of(f"{name_of(event)}Data", fields)
    return _shared_data(event.resource)


@cache
def _shared_data(resource: str) -> type[serializers.Serializer[Any]]:
    name = "".join(word.capitalize() for word in resource.split("_"))
    return component_of(f"{name}EventData", _DATA[resource])


_RECEIVED = {
    200: OpenApiResponse(description="Any 2xx within 10 seconds: received."),
    401: OpenApiResponse(description="Your refusal of a request whose signature does not verify."),
    410: OpenApiResponse(description="Stop: the endpoint is disabled."),
}


def _described(event: EventType) -> OpenApiWebhook:
    # Its type is a constant: a program that looks at an event knows what ``data`` holds. The constant is a class of its
    # own: what is set on a field is lost with its copies.
    constant = type("Constant", (serializers.CharField,), {})
    constant = extend_schema_field({"type": "string", "const": event.name})(constant)
    fields = {"type": constant(), "data": _data(event)()}
    decorator: Any = extend_schema(
        operation_id=f"on_{event.name.replace('.', '_')}",
        summary=event.when,
        description=SIGNED,
        tags=["Events"],
        request=type(name_of(event), (component(WebhookEventShape),), fields),
        responses=_RECEIVED,
    )
    return OpenApiWebhook(name=event.name, decorator=decorator)


EVENTS = [_described(event) for event in EVENT_TYPES]
_UNION: Final = "WebhookEvent"
_SCHEMAS: Final = "#/components/schemas/"


def with_their_components(result: dict[str, Any], generator: Any, **_: Any) -> dict[str, Any]:
    """The components of events beside the others. Why: upstream reads events after it put the components together,
    and would write out in each of them the sets of words that all share.
    """
    result["components"] = generator.registry.build(spectacular_settings.APPEND_COMPONENTS)
    return result


def as_one_of_them(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """An event, wherever one is spoken of, is one of the catalogue's, told apart by its type."""
    references = {event.name: f"{_SCHEMAS}{name_of(event)}" for event in EVENT_TYPES}
    result["components"]["schemas"][_UNION] = {
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "type", "mapping": references},
    }
    return result
