"""Reads of endpoints, their secrets and their deliveries."""

import logging
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Prefetch, Q, QuerySet

from core.clock import now
from core.errors import NotFound
from core.ids import parse_public_id
from core.modes import Mode
from core.secrets import SecretUnreadable, decrypt
from merchants.principal import Principal
from webhooks.models import Delivery, DeliveryAttempt, Event, SigningSecret, WebhookEndpoint

logger = logging.getLogger("causeway.webhooks")


def endpoints_of(principal: Principal) -> QuerySet[WebhookEndpoint]:
    """The principal's endpoints, newest first."""
    return WebhookEndpoint.objects.visible_to(principal).filter(deleted_at=None).order_by("-created_at", "-id")


def read_id(text: str, resource: str) -> uuid.UUID:
    """The id in a path. Raises: NotFound for what is no id. Why: a malformed id looks like an unknown one."""
    key = parse_public_id(text)
    if key is None:
        raise NotFound(resource)
    return key


def find_endpoint(principal: Principal, text: str) -> WebhookEndpoint:
    """The endpoint with this id. Raises: NotFound."""
    endpoint = endpoints_of(principal).filter(pk=read_id(text, "webhook_endpoint")).first()
    if endpoint is None:
        raise NotFound("webhook_endpoint")
    return endpoint


def deliveries_of(endpoint: WebhookEndpoint) -> QuerySet[Delivery]:
    """The endpoint's deliveries with their event types and attempts."""
    tries = Prefetch("tries", queryset=DeliveryAttempt.objects.order_by("number"))
    events = Prefetch("event", queryset=Event.objects.defer("payload"))
    return Delivery.objects.filter(endpoint=endpoint).prefetch_related(events).prefetch_related(tries)


def not_in_flight(at: datetime) -> Q:
    """Deliveries that no worker is sending at this moment."""
    return Q(leased_until=None) | Q(leased_until__lte=at)


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """What it takes to send to an endpoint: where, with which secrets (newest first), and how it has been doing.

    Without secrets where none of them can be opened: then nothing can be signed for it.
    """

    endpoint_id: uuid.UUID
    mode: Mode
    url: str
    secrets: tuple[str, ...]
    failing_since: datetime | None


def receivers(endpoint_ids: Collection[uuid.UUID], at: datetime) -> dict[uuid.UUID, Receiver]:
    """The receivers among these endpoints that are enabled, each with every secret that is valid now."""
    rows = (
        SigningSecret.objects.filter(endpoint_id__in=endpoint_ids, endpoint__enabled=True, endpoint__deleted_at=None)
        .filter(Q(expires_at=None) | Q(expires_at__gt=at))
        .order_by("-id")
        .values_list(
            "endpoint_id", "ciphertext", "endpoint__mode", "endpoint__url", "endpoint__failing_since", named=True
        )
    )
    found: dict[uuid.UUID, Receiver] = {}
    for row in rows:
        known = found.get(row.endpoint_id)
        found[row.endpoint_id] = Receiver(
            endpoint_id=row.endpoint_id,
            mode=Mode(row.endpoint__mode),
            url=row.endpoint__url,
            secrets=(*(known.secrets if known else ()), *_readable(row.endpoint_id, bytes(row.ciphertext))),
            failing_since=row.endpoint__failing_since,
        )
    return found


def _readable(endpoint_id: uuid.UUID, ciphertext: bytes) -> tuple[str, ...]:
    """The secret, or nothing. Why not raised: one that cannot be opened must not hold up the other receivers."""
    try:
        return (_plain(ciphertext),)
    except SecretUnreadable as error:
        logger.error("webhook_secret_unreadable endpoint=%s: %s", endpoint_id, error)
        return ()


def valid_secrets(endpoint: WebhookEndpoint) -> list[str]:
    """The secrets in clear that may have signed for an endpoint just now, newest first, disabled or not."""
    rows = endpoint.secrets.filter(Q(expires_at=None) | Q(expires_at__gt=now())).order_by("-id")
    return [_plain(bytes(row.ciphertext)) for row in rows]


def every_secret(principal: Principal) -> list[tuple[WebhookEndpoint, str, bool]]:
    """Every secret of the principal's endpoints that is still stored, newest first, and whether its grace is over."""
    rows = SigningSecret.objects.visible_to(principal).filter(endpoint__deleted_at=None).select_related("endpoint")
    at = now()
    return [
        (row.endpoint, _plain(bytes(row.ciphertext)), row.expires_at is not None and row.expires_at <= at)
        for row in rows.order_by("-id")
    ]


@lru_cache(maxsize=2048)
def _plain(ciphertext: bytes) -> str:
    """Why cached: decrypting costs more than signing, and a busy endpoint is read many times a second."""
    return decrypt(ciphertext).decode()


class EventDelivery(NamedTuple):
    """An event about something, and one of the places it went to; without a place where nobody had subscribed."""

    event_id: str
    type: str
    sequence: int
    occurred_at: datetime
    url: str | None
    outcome: str | None
    attempts: int | None
    finished_at: datetime | None


def event_deliveries_of(
    principal: Principal, resource_id: uuid.UUID, most: int, before: datetime | None = None
) -> list[EventDelivery]:
    """The newest events of one resource, so many lines at most: a line per place an event went to. One query."""
    about = Event.objects.visible_to(principal).filter(resource_id=resource_id)
    if before is not None:
        about = about.filter(occurred_at__lt=before)
    lines = about.order_by("-sequence", "deliveries__created_at", "deliveries__pk").values_list(
        "id",
        "type",
        "sequence",
        "occurred_at",
        "deliveries__endpoint__url",
        "deliveries__outcome",
        "deliveries__attempts",
        "deliveries__finished_at",
    )
    return [EventDelivery(*line) for line in lines[:most]]
