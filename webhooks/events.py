"""Builds events: the exact text that is stored and sent, and samples for the test helper."""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, NamedTuple, TypedDict

from django.conf import settings
from django.utils.module_loading import import_string

from core.clock import now, wire_time
from core.ids import derived_event_id
from core.renderers import to_json
from core.shapes import Code, Link, ModeName, Moment, Uuid
from webhooks.catalog import EVENT_NAMES, RESOURCES
from webhooks.models import Event, WebhookEndpoint
from webhooks.states import DisabledReason


def retention() -> timedelta:
    """How long an event is kept, with its deliveries and attempts. Source: docs/guides/webhooks.md, Delivery."""
    return timedelta(days=settings.KEEP_EVENTS_DAYS)


class WebhookEventResourceShape(TypedDict):
    """Which resource an event tells of."""

    type: Annotated[Code, RESOURCES]
    id: Uuid


class EndpointDisabledDataShape(TypedDict):
    """The ``data`` of the news that an endpoint was switched off."""

    id: Uuid
    url: Annotated[Link | None, "Where events were posted; null where they are fetched."]
    enabled: bool
    reason: Annotated[str, DisabledReason]


class PingDataShape(TypedDict):
    """The ``data`` of a test event."""

    id: Uuid
    message: str


class WebhookEventShape(TypedDict):
    """The envelope. Source: specification, Events (envelope)."""

    id: Annotated[str, "`evt_` and 32 hex digits; the same in every attempt."]
    type: Code
    created_at: Moment
    data: Mapping[str, Any]
    mode: ModeName
    api_version: str
    sequence: Annotated[int, {"min_value": 1}, "Counts without gaps per resource."]
    resource: WebhookEventResourceShape


class Envelope(NamedTuple):
    """What stands around the news of every event. Source: specification, Events (envelope)."""

    id: str
    type: str
    occurred_at: datetime
    mode: str
    sequence: int
    resource_type: str
    resource_id: uuid.UUID

    @property
    def kept_until(self) -> datetime:
        """When it may be purged."""
        return self.occurred_at + retention()

    def around(self, body: Mapping[str, Any]) -> str:
        """The exact text that every receiver gets."""
        text: WebhookEventShape = {
            "id": self.id,
            "type": self.type,
            "created_at": wire_time(self.occurred_at),
            "data": body,
            "mode": self.mode,
            "api_version": settings.API_VERSION,
            "sequence": self.sequence,
            "resource": {"type": self.resource_type, "id": str(self.resource_id)},
        }
        return to_json(text).decode()


ONCE: Final = frozenset({"payment_intent.settled", "refund.paid", "payout.paid"})
"""What happens to a resource once, ever: its event has one identity, however many steps led there."""


def event_id(  # noqa: PLR0913 - all that an identity follows from, all keyword-only
    *, type: str, resource_id: uuid.UUID, sequence: int, born_at: datetime | None, body: Mapping[str, Any] | None = None
) -> str:
    """The identity of what happened to a resource, which nobody can make again if it is there since ``born_at``.

    A database that was put back, and sees the same happen again, gives the same one, so that receivers know it.
    ``body``: its facts, but for moments, tell a step from another one that may take its place then.
    Source: docs/adr/0094.
    """
    if type in ONCE:
        return derived_event_id(born_at, resource_id, type)
    facts = {name: value for name, value in (body or {}).items() if not name.endswith("_at")}
    return derived_event_id(born_at, resource_id, type, sequence, to_json(facts).decode())


def draft_event(  # noqa: PLR0913 - the envelope has this many parts, all keyword-only
    *,
    merchant_id: int,
    mode: str,
    type: str,
    resource_type: str,
    resource_id: uuid.UUID,
    sequence: int,
    body: Mapping[str, Any],
    born_at: datetime | None = None,
) -> Event:
    """Build, but do not save, an event; the caller inserts it in the transaction of the change it tells about.

    ``body`` becomes ``data`` on the wire and is JSON-ready. ``sequence`` counts from 1 per resource; ``born_at`` as
    ``event_id`` has it.
    Raises: ValueError for a type that is not in the catalogue.
    Source: specification, Events (envelope); docs/guides/webhooks.md, What arrives.
    """
    if type not in EVENT_NAMES:
        raise ValueError(f"{type} is not in the event catalogue")
    facts = None if sequence == 1 else body
    envelope = Envelope(
        id=event_id(type=type, resource_id=resource_id, sequence=sequence, born_at=born_at, body=facts),
        type=type,
        occurred_at=now(),
        mode=mode,
        sequence=sequence,
        resource_type=resource_type,
        resource_id=resource_id,
    )
    return Event(
        merchant_id=merchant_id,
        payload=envelope.around(body),
        kept_until=envelope.kept_until,
        **envelope._asdict(),
    )


def draft_next_event(
    row: Any, event: str, resource_type: str, body: Mapping[str, Any], *, born_at: datetime | None = None
) -> Event:
    """Build, but do not save, the news of a change to one of a merchant's rows, numbered per row.

    Locks: the caller holds the row's lock, and saves its grown ``event_sequence`` with the event.
    """
    row.event_sequence += 1
    return draft_event(
        merchant_id=row.merchant_id,
        mode=row.mode,
        type=event,
        resource_type=resource_type,
        resource_id=row.pk,
        sequence=row.event_sequence,
        body=body,
        born_at=born_at,
    )


def disabled_body(endpoint: WebhookEndpoint) -> EndpointDisabledDataShape:
    """The ``data`` of the news that an endpoint was switched off."""
    return {"id": str(endpoint.pk), "url": endpoint.address, "enabled": False, "reason": endpoint.disabled_reason}


def endpoint_disabled(endpoint: WebhookEndpoint) -> Event:
    """Build the news that an endpoint was switched off. Locks: as ``draft_next_event``."""
    body = disabled_body(endpoint)
    return draft_next_event(
        endpoint, "webhook_endpoint.disabled", "webhook_endpoint", body, born_at=endpoint.created_at
    )


Sampler = Callable[[str, uuid.UUID], Mapping[str, Any]]
"""Writes the ``data`` of an event of a type, about a resource of this id that is nowhere."""


def sample_body(event_type: str, resource_id: uuid.UUID) -> dict[str, Any]:
    """``data`` as an event of this type would have it."""
    sampler: Sampler = import_string(settings.EVENT_SAMPLES[event_type.partition(".")[0]])
    return dict(sampler(event_type, resource_id))


def ping_body(_event_type: str, resource_id: uuid.UUID) -> PingDataShape:
    """The ``data`` of a test event."""
    return {"id": str(resource_id), "message": "It works."}


def disabled_sample(_event_type: str, endpoint_id: uuid.UUID) -> EndpointDisabledDataShape:
    """The ``data`` of an endpoint's end that did not happen."""
    return disabled_body(
        WebhookEndpoint(id=endpoint_id, url="https://example.com/webhooks", disabled_reason=DisabledReason.FAILING)
    )
