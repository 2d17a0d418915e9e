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
        EndpointKind,
        EventSubscription,
        EventType,
    )


class DeletedWebhookEndpoint(Model):
    """DeletedWebhookEndpoint, as the service sends it."""

    id: str
    """Its id."""
    deleted: bool
    """Always true."""


class DeliveryAttempt(Model):
    """DeliveryAttempt, as the service sends it."""

    number: int
    """From 1; the same as the header Svc-Attempt."""
    at: datetime
    """When the request was sent. ISO 8601 in UTC."""
    latency_ms: int
    """How long the answer took, in milliseconds."""
    response_status: int | None
    """The HTTP status that the receiver answered; null if no answer came."""
    response_headers: dict[str, str]
    """The first ones, shortened."""
    response_body: str
    """The beginning, as text."""
    error: DeliveryError | None
    """Why no answer came, one stable word; null if one did."""

    _read = {"at": moment}


class PulledDelivery(Model):
    """PulledDelivery, as the service sends it."""

    delivery_id: str
    """Send it with the answer."""
    event_id: str
    """The event that is delivered."""
    attempt: int
    """Send it with the answer. Each time it is given out it is another one."""
    headers: dict[str, str]
    """As a receiver gets them, signed just now."""
    body: str
    """The exact text that is signed."""


class PulledDeliveryList(Model):
    """PulledDeliveryList, as the service sends it."""

    data: list[PulledDelivery]
    """The rows of this page."""
    has_more: bool
    """Whether to fetch again at once: as many came as were asked for."""

    _read = {"data": many(PulledDelivery)}


class Recovery(Model):
    """Recovery, as the service sends it."""

    id: str
    """The endpoint that the events go to."""
    scheduled: int
    """How many events will be sent now."""
    has_more: bool
    """Whether to call again for the rest."""


class WebhookDelivery(Model):
    """WebhookDelivery, as the service sends it."""

    id: str
    """Its id."""
    event_id: str
    """The event that is delivered."""
    event_type: EventType
    """The type of that event."""
    status: DeliveryStatus
    """Where the delivery stands."""
    attempt_count: int
    """How many times it was sent."""
    next_attempt_at: datetime | None
    """When it is tried again; null if it is not. ISO 8601 in UTC."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    finished_at: datetime | None
    """When it was delivered or given up; null while it is due. ISO 8601 in UTC."""
    attempts: list[DeliveryAttempt]
    """Each POST and what came of it, oldest first."""

    _read = {"next_attempt_at": moment, "created_at": moment, "finished_at": moment, "attempts": many(DeliveryAttempt)}


class WebhookEndpoint(Model):
    """WebhookEndpoint, as the service sends it."""

    id: str
    """Its id."""
    kind: EndpointKind
    """`push`: posted to its URL. `pull`: fetched and answered by you."""
    url: str | None
    """Where events are posted; null where they are fetched."""
    events: list[EventSubscription]
    """The event types that it receives; `<resource>.*` and `*` stand for several."""
    enabled: bool
    """Whether events are sent to it."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    disabled_reason: EndpointDisabledReason | None
    """Why it is off; null while it is enabled."""

    _read = {"created_at": moment}


class WebhookEndpointWithSecret(Model):
    """WebhookEndpointWithSecret, as the service sends it."""

    id: str
    """Its id."""
    kind: EndpointKind
    """`push`: posted to its URL. `pull`: fetched and answered by you."""
    url: str | None
    """Where events are posted; null where they are fetched."""
    events: list[EventSubscription]
    """The event types that it receives; `<resource>.*` and `*` stand for several."""
    enabled: bool
    """Whether events are sent to it."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    disabled_reason: EndpointDisabledReason | None
    """Why it is off; null while it is enabled."""
    secret: str
    """The signing secret, `whsec_…`; shown here and never again."""

    _read = {"created_at": moment}
