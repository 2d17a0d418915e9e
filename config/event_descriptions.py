"""The description's ``webhooks`` section: what receivers are sent, one entry per row of the event catalogue."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, OpenApiWebhook, extend_schema
from rest_framework import serializers

from core.modes import Mode
from payments.states import IntentStatus
from payouts.serializers import PayoutSerializer
from refunds.serializers import RefundSerializer
from webhooks.catalog import EVENT_TYPES, EventType

SIGNED = (
    "Sent by POST with `Svc-Signature: t=<unix-seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the "
    "endpoint's whole secret. Refuse when no `v1` matches or `t` is more than 300 seconds away. During a rotation "
    "there are two `v1`. Also sent: `Svc-Event-Id`, `Svc-Event-Type`, `Svc-Delivery-Id`, `Svc-Attempt`. "
    "An event can come twice: remember its `id`."
)


class IntentEventBody(serializers.Serializer[Any]):
    """``data`` of intent events. Source: specification, Events; docs/webhooks.md, Events."""

    id = serializers.UUIDField()
    amount = serializers.CharField(help_text="Decimal string with two places.")
    currency = serializers.CharField()
    settlement_chain = serializers.CharField()
    settlement_token = serializers.CharField()
    metadata = serializers.DictField(child=serializers.JSONField())
    status = serializers.ChoiceField(choices=IntentStatus.choices)
    mode = serializers.ChoiceField(choices=Mode.values)
    amount_received = serializers.CharField()
    failure_reason = serializers.CharField(allow_null=True)
    settled_at = serializers.DateTimeField(allow_null=True)
    reference = serializers.CharField(allow_null=True)
    amount_due = serializers.CharField(required=False)
    partially_funded = serializers.BooleanField(required=False)
    overpaid_usd = serializers.CharField(required=False)
    owed_usd = serializers.CharField(required=False)


class RefundEventBody(RefundSerializer):
    """``data`` of refund events: the resource, with the tail of its destination only."""

    destination = None  # type: ignore[assignment]  # the framework's way to leave a field out
    suggested_destination = None  # type: ignore[assignment]  # as above
    payers = None  # type: ignore[assignment]  # as above
    destination_tail = serializers.CharField(allow_blank=True, help_text="… and the last six characters.")


class EventResource(serializers.Serializer[Any]):
    """Which resource an event tells of."""

    type = serializers.CharField()
    id = serializers.UUIDField()


class Event(serializers.Serializer[Any]):
    """The envelope. Source: specification, Events (envelope)."""

    id = serializers.CharField(help_text="`evt_` and 32 hex digits; the same in every attempt.")
    type = serializers.CharField()
    created_at = serializers.DateTimeField()
    data = serializers.DictField(child=serializers.JSONField())  # type: ignore[assignment]  # the name on the wire
    mode = serializers.ChoiceField(choices=Mode.values)
    api_version = serializers.CharField()
    sequence = serializers.IntegerField(min_value=1, help_text="Counts without gaps per resource.")
    resource = EventResource()


class IntentEvent(Event):
    """The envelope of an intent event."""

    data = IntentEventBody()  # type: ignore[assignment]  # the name on the wire


class PayoutEventBody(PayoutSerializer):
    """``data`` of payout events: the payout, and what the merchant wrote on its intent."""

    metadata = serializers.DictField(child=serializers.JSONField())


class PayoutEvent(Event):
    """The envelope of a payout event."""

    data = PayoutEventBody()  # type: ignore[assignment]  # the name on the wire


class RefundEvent(Event):
    """The envelope of a refund event."""

    data = RefundEventBody()  # type: ignore[assignment]  # the name on the wire


_SHAPES: dict[str, Any] = {"payment_intent": IntentEvent, "refund": RefundEvent, "payout": PayoutEvent}
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
        request=_SHAPES.get(event.resource, Event),
        responses=_RECEIVED,
    )
    return OpenApiWebhook(name=event.name, decorator=decorator)


EVENTS = [_described(event) for event in EVENT_TYPES]
