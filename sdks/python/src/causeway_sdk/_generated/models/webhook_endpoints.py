# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: webhook endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model, many
from causeway_sdk._wire import moment

if TYPE_CHECKING:
    from datetime import datetime

    from causeway_sdk._generated.words import (
        DeliveryError,
        DeliveryStatus,
        EndpointDisabledReason,
        EventSubscription,
        EventType,
    )


class DeletedWebhookEndpoint(Model):
    """DeletedWebhookEndpoint, as the service sends it."""

    id: str
    deleted: bool


class DeliveryAttempt(Model):
    """DeliveryAttempt, as the service sends it."""

    number: int
    """From 1; the same as the header Svc-Attempt."""
    at: datetime
    latency_ms: int
    response_status: int | None
    response_headers: dict[str, str]
    """The first ones, shortened."""
    response_body: str
    """The beginning, as text."""
    error: DeliveryError | None
    """Why no answer came, one stable word; null if one did."""

    _read = {"at": moment}


class Recovery(Model):
    """Recovery, as the service sends it."""

    id: str
    scheduled: int
    """How many events will be sent now."""
    has_more: bool
    """Whether to call again for the rest."""


class WebhookDelivery(Model):
    """WebhookDelivery, as the service sends it."""

    id: str
    event_id: str
    event_type: EventType
    """What happened."""
    status: DeliveryStatus
    """Where a delivery stands: due, delivered, given up after the last attempt, or cancelled."""
    attempt_count: int
    next_attempt_at: datetime | None
    created_at: datetime
    finished_at: datetime | None
    attempts: list[DeliveryAttempt]

    _read = {"next_attempt_at": moment, "created_at": moment, "finished_at": moment, "attempts": many(DeliveryAttempt)}


class WebhookEndpoint(Model):
    """WebhookEndpoint, as the service sends it."""

    id: str
    url: str
    events: list[EventSubscription]
    enabled: bool
    created_at: datetime
    disabled_reason: EndpointDisabledReason | None
    """Why it is off; null while it is enabled."""

    _read = {"created_at": moment}


class WebhookEndpointWithSecret(Model):
    """WebhookEndpointWithSecret, as the service sends it."""

    id: str
    url: str
    events: list[EventSubscription]
    enabled: bool
    created_at: datetime
    disabled_reason: EndpointDisabledReason | None
    """Why it is off; null while it is enabled."""
    secret: str
    """The signing secret, `whsec_…`; shown here and never again."""

    _read = {"created_at": moment}
