"""How reading events is described."""

from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from core.openapi import component, page_parameters, wait_parameter
from core.refusals import errors
from webhooks.errors import CursorExpired
from webhooks.event_pages import EVENT_PAGE
from webhooks.events import WebhookEventShape
from webhooks.shapes import EventListShape

_TAGS: Final = ["Events"]
_TYPES: Final = r"^[a-z_]+(\.([a-z_]+|\*))?(,[a-z_]+(\.([a-z_]+|\*))?)*$"
_EXAMPLE: Final = "payment_intent.settled,refund.*"

LIST: Final[dict[str, Any]] = {
    "operation_id": "listEvents",
    "tags": _TAGS,
    "summary": "List events, oldest first",
    "responses": {
        200: OpenApiResponse(
            component(EventListShape), description="What follows the cursor. Go on from `cursor`, whatever came."
        ),
        **errors(400, CursorExpired),
    },
    "parameters": [
        OpenApiParameter(
            "after",
            {"type": "string", "pattern": "^(now|cur_[0-9a-f]{16})$"},
            description="A `cursor` of this list. `now`: only what is still to come. Without: from the oldest kept.",
        ),
        page_parameters(EVENT_PAGE)[0],
        OpenApiParameter(
            "type",
            {"type": "string", "pattern": _TYPES, "examples": [_EXAMPLE]},
            description="Event types or `<resource>.*`, separated by commas.",
        ),
        wait_parameter("there is an event"),
        OpenApiParameter("resource_id", OpenApiTypes.UUID, description="Only events of this resource."),
    ],
}
RETRIEVE: Final[dict[str, Any]] = {
    "operation_id": "getEvent",
    "tags": _TAGS,
    "summary": "Retrieve an event",
    "responses": {
        200: OpenApiResponse(component(WebhookEventShape), description="The event, in the bytes that receivers get."),
        **errors(404),
    },
    "parameters": [
        OpenApiParameter(
            "event_id",
            {"type": "string", "pattern": "^evt_[0-9a-f]{32}$"},
            OpenApiParameter.PATH,
            description="The event.",
        )
    ],
}
