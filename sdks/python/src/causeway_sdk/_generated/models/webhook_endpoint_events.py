# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: webhook endpoint events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model

if TYPE_CHECKING:
    from causeway_sdk._generated.words import (
        EndpointDisabledReason,
    )


class WebhookEndpointEventData(Model):
    """WebhookEndpointEventData, as the service sends it."""

    id: str
    """The endpoint."""
    url: str | None
    """Where events were posted; null where they are fetched."""
    enabled: bool
    """Whether events are sent to it."""
    reason: EndpointDisabledReason
    """Why it was switched off."""
