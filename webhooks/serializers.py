"""Wire shapes in; shapes out for the description, each with the plain function that writes it."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.clock import now, optional_wire_time, wire_time
from core.fields import StrictBooleanField, StrictSerializer, StrictStringField
from core.outbound.destinations import MAX_URL_LENGTH
from webhooks.catalog import SUBSCRIBABLE
from webhooks.models import Delivery, WebhookEndpoint
from webhooks.services import Recovery
from webhooks.states import DisabledReason, Outcome


@extend_schema_field({"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(SUBSCRIBABLE)}})
class EventNamesField(serializers.ListField):
    """A non-empty array of event names. Whether they exist is the service's to say."""

    child = StrictStringField(allow_blank=True)

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_empty=False, help_text="Event types, `<resource>.*` or `*`.", **options)


@extend_schema_field(OpenApiTypes.DATETIME)
class StrictTimeField(serializers.Field[datetime, Any, Any, Any]):
    """A moment in ISO 8601 that came as a JSON string, names its offset and is not in the future."""

    default_error_messages = {
        "type": "Must be a string.",
        "invalid": "Must be an ISO 8601 date-time with an offset, such as 2026-01-31T12:00:00Z.",
        "max_value": "Must not be in the future.",
    }

    def to_internal_value(self, value: Any) -> datetime:
        """The moment in UTC."""
        if not isinstance(value, str):
            self.fail("type")
        moment = _read_moment(value)
        if moment is None:
            self.fail("invalid")
        if moment > now():
            self.fail("max_value")
        return moment

    def to_representation(self, value: datetime) -> str:
        """The moment as it is written everywhere else."""
        return wire_time(value)


def _read_moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


class CreateEndpointSerializer(StrictSerializer):
    """Source: specification, Webhook endpoints (POST)."""

    url = StrictStringField(max_length=MAX_URL_LENGTH, help_text="Where events are posted: https, a public host.")
    events = EventNamesField()
    enabled = StrictBooleanField(default=True)


class UpdateEndpointSerializer(StrictSerializer):
    """Source: specification, Webhook endpoints (PATCH)."""

    url = StrictStringField(required=False, max_length=MAX_URL_LENGTH)
    events = EventNamesField(required=False)
    enabled = StrictBooleanField(required=False)


class RecoverSerializer(StrictSerializer):
    """From when on events are sent again."""

    since = StrictTimeField(help_text="ISO 8601 with an offset; events are kept for 30 days.")


class NoFieldsSerializer(StrictSerializer):
    """An action that needs nothing but its path; a body, if any, is an empty object."""


class WebhookEndpointShape(serializers.Serializer[Any]):
    """Source: specification, WebhookEndpoint."""

    id = serializers.UUIDField()
    url = serializers.URLField(max_length=MAX_URL_LENGTH)
    events = serializers.ListField(child=serializers.CharField())
    enabled = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    disabled_reason = serializers.ChoiceField(
        choices=DisabledReason.choices, allow_null=True, help_text="Why it is off; null while it is enabled."
    )


class WebhookEndpointWithSecretShape(WebhookEndpointShape):
    """What create and rotate-secret answer."""

    secret = serializers.CharField(help_text="The signing secret, `whsec_…`; shown here and never again.")


class WebhookEndpointListShape(serializers.Serializer[Any]):
    """Every endpoint, newest first."""

    data = WebhookEndpointShape(many=True)  # type: ignore[assignment]  # the name on the wire


class DeletedWebhookEndpointShape(serializers.Serializer[Any]):
    """What is left of a deleted endpoint."""

    id = serializers.UUIDField()
    deleted = serializers.BooleanField()


class DeliveryAttemptShape(serializers.Serializer[Any]):
    """One POST and what came of it."""

    number = serializers.IntegerField(help_text="From 1; the same as the header Svc-Attempt.")
    at = serializers.DateTimeField()
    latency_ms = serializers.IntegerField()
    response_status = serializers.IntegerField(allow_null=True)
    response_headers = serializers.DictField(child=serializers.CharField(), help_text="The first ones, shortened.")
    response_body = serializers.CharField(help_text="The beginning, as text.")
    error = serializers.CharField(allow_null=True, help_text="Why no answer came, one stable word; null if one did.")


class WebhookDeliveryShape(serializers.Serializer[Any]):
    """One event on its way to one endpoint."""

    id = serializers.UUIDField()
    event_id = serializers.CharField()
    event_type = serializers.CharField()
    status = serializers.ChoiceField(choices=Outcome.choices)
    attempt_count = serializers.IntegerField()
    next_attempt_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    attempts = DeliveryAttemptShape(many=True)


class WebhookDeliveryListShape(serializers.Serializer[Any]):
    """One page, newest first."""

    data = WebhookDeliveryShape(many=True)  # type: ignore[assignment]  # the name on the wire
    has_more = serializers.BooleanField()
    next_cursor = serializers.UUIDField(allow_null=True)


class RecoveryShape(serializers.Serializer[Any]):
    """What a recovery put on its way."""

    id = serializers.UUIDField()
    scheduled = serializers.IntegerField(help_text="How many events will be sent now.")
    has_more = serializers.BooleanField(help_text="Whether to call again for the rest.")


def endpoint_body(endpoint: WebhookEndpoint) -> dict[str, Any]:
    """The wire form of an endpoint, which never holds its secret."""
    return {
        "id": str(endpoint.pk),
        "url": endpoint.url,
        "events": endpoint.events,
        "enabled": endpoint.enabled,
        "created_at": wire_time(endpoint.created_at),
        "disabled_reason": endpoint.disabled_reason or None,
    }


def endpoint_with_secret_body(endpoint: WebhookEndpoint, secret: str) -> dict[str, Any]:
    """The wire form of an endpoint whose secret was made just now."""
    return {**endpoint_body(endpoint), "secret": secret}


def delivery_body(delivery: Delivery) -> dict[str, Any]:
    """The wire form of a delivery with its attempts."""
    return {
        "id": str(delivery.pk),
        "event_id": delivery.event_id,
        "event_type": delivery.event.type,
        "status": delivery.outcome,
        "attempt_count": delivery.attempts,
        "next_attempt_at": optional_wire_time(delivery.next_attempt_at),
        "created_at": wire_time(delivery.created_at),
        "finished_at": optional_wire_time(delivery.finished_at),
        "attempts": [
            {
                "number": attempt.number,
                "at": wire_time(attempt.at),
                "latency_ms": attempt.latency_ms,
                "response_status": attempt.response_status,
                "response_headers": attempt.response_headers,
                "response_body": attempt.response_body,
                "error": attempt.error or None,
            }
            for attempt in delivery.tries.all()
        ],
    }


def recovery_body(endpoint_id: str, recovery: Recovery) -> dict[str, Any]:
    """The wire form of a recovery."""
    return {"id": endpoint_id, "scheduled": recovery.scheduled, "has_more": recovery.has_more}
