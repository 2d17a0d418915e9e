"""Sending again: one delivery, everything since a moment, or a sample event."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from core.bulk import insert_together
from core.clock import now
from core.dispatch import nudge
from core.errors import NotFound
from core.modes import Mode
from core.transitions import locked
from merchants.principal import Principal
from webhooks import outcomes, selectors
from webhooks.catalog import EVENT_NAMES, EVENT_TYPES, PING, types_covered_by
from webhooks.errors import UnknownEventType, WebhookEndpointDisabled
from webhooks.events import draft_event, sample_body
from webhooks.models import Delivery, Event, WebhookEndpoint
from webhooks.order import NOWHERE
from webhooks.states import Outcome

RECOVERED_AT_ONCE = 2000
"""Why bounded: recovery happens inside one request; the answer says whether there is more."""
_WAKE = "webhooks.drain"


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """How many events were put on their way again, and whether more are waiting for another call."""

    scheduled: int
    has_more: bool


def resend(principal: Principal, endpoint_id: str, delivery_id: str) -> Delivery:
    """Make one delivery due now; a finished one starts its schedule again.

    One that a worker is sending at this moment is sent again only if that fails.
    Raises: NotFound; WebhookEndpointDisabled. Locks: the delivery.
    """
    with transaction.atomic():
        endpoint = _enabled_endpoint(principal, endpoint_id)
        key = selectors.read_id(delivery_id, "webhook_delivery")
        try:
            delivery = locked(Delivery.objects.filter(endpoint=endpoint), pk=key)
        except Delivery.DoesNotExist:
            raise NotFound("webhook_delivery") from None
        if delivery.outcome != Outcome.DUE:
            outcomes.restart(Delivery.objects.filter(pk=key), now(), is_pulled=endpoint.is_pulled)
        else:
            Delivery.objects.filter(pk=key).update(**outcomes.planned(now(), is_pulled=endpoint.is_pulled))
    nudge(_WAKE)
    return selectors.deliveries_of(endpoint).get(pk=key)


def recover(principal: Principal, endpoint_id: str, since: datetime) -> Recovery:
    """Put every event since a moment, of the types the endpoint wants now, on its way unless it was delivered.

    That includes events from times when the endpoint was disabled or did not exist.
    Raises: NotFound; WebhookEndpointDisabled. Locks: those events, so that none is purged meanwhile.
    """
    with transaction.atomic():
        endpoint = _enabled_endpoint(principal, endpoint_id)
        missing = list(_undelivered(endpoint, since)[: RECOVERED_AT_ONCE + 1])
        chosen, moment = missing[:RECOVERED_AT_ONCE], now()
        known = Delivery.objects.filter(endpoint=endpoint, event_id__in=[key for key, _ in chosen])
        outcomes.restart(known, moment, is_pulled=endpoint.is_pulled)
        Delivery.objects.bulk_create(
            [new_delivery(endpoint, event_id, event_at, moment) for event_id, event_at in chosen],
            ignore_conflicts=True,
        )
    nudge(_WAKE)
    return Recovery(scheduled=len(chosen), has_more=len(missing) > RECOVERED_AT_ONCE)


def trigger_sample_event(principal: Principal, event_type: str, body: Mapping[str, Any] | None = None) -> Event:
    """Send a sample of a type to the subscribed endpoints; keys of ``body`` replace those of the sample.

    Raises: UnknownEventType.
    """
    event = _sample(principal, event_type, EVENT_NAMES, body or {})
    with transaction.atomic():
        insert_together([event])
        nudge(_WAKE)
    return event


def testable_types(mode: Mode) -> tuple[str, ...]:
    """The types of which one endpoint may be sent a sample. Why one in live mode: nobody may take it for real news."""
    return (PING,) if mode == Mode.LIVE else (PING, *(entry.name for entry in EVENT_TYPES if entry.name != PING))


def send_test_event(principal: Principal, endpoint_id: str, event_type: str = PING) -> Delivery:
    """Send a sample to one endpoint alone, whatever it is subscribed to.

    Raises: NotFound; WebhookEndpointDisabled; UnknownEventType.
    """
    endpoint, allowed = _enabled_endpoint(principal, endpoint_id), testable_types(principal.mode)
    event = _sample(principal, event_type, allowed, {})
    event.fanned_out_at, event.position = event.occurred_at, NOWHERE
    delivery = new_delivery(endpoint, event.pk, event.occurred_at, event.occurred_at)
    with transaction.atomic():
        insert_together([event, delivery])
        nudge(_WAKE)
    return delivery


def _sample(principal: Principal, event_type: str, allowed: Collection[str], body: Mapping[str, Any]) -> Event:
    if event_type not in allowed:
        raise UnknownEventType([event_type], [entry.name for entry in EVENT_TYPES if entry.name in allowed])
    resource_id = uuid.uuid4()
    return draft_event(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        type=event_type,
        resource_type=event_type.partition(".")[0],
        resource_id=resource_id,
        sequence=1,
        body={**sample_body(event_type, resource_id), **body},
    )


def new_delivery(endpoint: WebhookEndpoint, event_id: str, event_at: datetime, moment: datetime) -> Delivery:
    """An unsaved delivery that is due from a moment on, of an event that occurred at ``event_at``."""
    return Delivery(
        merchant_id=endpoint.merchant_id,
        mode=endpoint.mode,
        event_id=event_id,
        event_at=event_at,
        endpoint=endpoint,
        created_at=moment,
        **outcomes.planned(moment, is_pulled=endpoint.is_pulled),
    )


def _enabled_endpoint(principal: Principal, endpoint_id: str) -> WebhookEndpoint:
    endpoint = selectors.find_endpoint(principal, endpoint_id)
    if not endpoint.enabled:
        raise WebhookEndpointDisabled
    return endpoint


def _undelivered(endpoint: WebhookEndpoint, since: datetime) -> Any:
    """Ids and times of the wanted events since then that are neither delivered nor on their way, oldest first."""
    taken = Delivery.objects.filter(
        event=OuterRef("pk"), endpoint=endpoint, outcome__in=[Outcome.DELIVERED, Outcome.DUE]
    )
    return (
        Event.objects.filter(merchant_id=endpoint.merchant_id, mode=endpoint.mode, occurred_at__gte=since)
        .filter(~Exists(taken), type__in=types_covered_by(endpoint.events))
        .order_by("occurred_at", "id")
        .select_for_update(no_key=True)
        .values_list("pk", "occurred_at")
    )
