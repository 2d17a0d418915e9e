"""What merchants send of their endpoints, checked field by field. What they are shown is in ``webhooks.shapes``."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from core.clock import now, wire_time
from core.fields import StrictBooleanField, StrictIntegerField, StrictSerializer, StrictStringField
from core.outbound.destinations import MAX_URL_LENGTH
from webhooks.catalog import SUBSCRIBABLE
from webhooks.states import NO_ANSWER, EndpointKind


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


class CreateWebhookEndpointSerializer(StrictSerializer):
    """Source: specification, Webhook endpoints (POST)."""

    kind = serializers.ChoiceField(
        choices=EndpointKind.choices, default=EndpointKind.PUSH, help_text="`pull` has no URL: you fetch its events."
    )
    url = StrictStringField(
        required=False,
        max_length=MAX_URL_LENGTH,
        help_text="Where events are posted: https, a public host. Required unless `kind` is `pull`.",
    )
    events = EventNamesField()
    enabled = StrictBooleanField(default=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A URL exactly where one is needed."""
        if attrs.pop("kind") == EndpointKind.PULL:
            if "url" in attrs:
                raise serializers.ValidationError(
                    {"url": [ErrorDetail("One that is pulled has none.", "unknown_field")]}
                )
            attrs["url"] = None
        elif "url" not in attrs:
            raise serializers.ValidationError({"url": [ErrorDetail("This field is required.", "required")]})
        return attrs


class UpdateWebhookEndpointSerializer(StrictSerializer):
    """Source: specification, Webhook endpoints (PATCH)."""

    url = StrictStringField(required=False, max_length=MAX_URL_LENGTH)
    events = EventNamesField(required=False)
    enabled = StrictBooleanField(required=False)


class AnswerWebhookDeliverySerializer(StrictSerializer):
    """What came of a delivery that was fetched."""

    delivery_id = StrictStringField(max_length=64, help_text="As it was given out.")
    attempt = StrictIntegerField(min_value=1, help_text="As it was given out.")
    status = StrictIntegerField(
        required=False, min_value=100, max_value=599, help_text="What your receiver answered; any 2xx is a success."
    )
    error = serializers.ChoiceField(
        choices=NO_ANSWER, required=False, help_text="Why nothing answered, in the place of `status`."
    )
    body = StrictStringField(
        default="", allow_blank=True, trim_whitespace=False, max_length=65536, help_text="Its beginning is kept."
    )
    latency_ms = StrictIntegerField(default=0, min_value=0, max_value=3_600_000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """An answer, or why there is none."""
        if ("status" in attrs) == ("error" in attrs):
            raise serializers.ValidationError({"status": [ErrorDetail("Send this or `error`.", "required")]})
        return {"status": None, "error": "", **attrs}


class RecoverWebhookEndpointSerializer(StrictSerializer):
    """From when on events are sent again."""

    since = StrictTimeField(help_text="ISO 8601 with an offset; events are kept for 30 days.")


class NoFieldsSerializer(StrictSerializer):
    """An action that needs nothing but its path; a body, if any, is an empty object."""
