"""Turns each event into one delivery per endpoint that was enabled and subscribed when it happened."""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from core.clock import now
from core.trace_places import place_of_event
from core.traces import traces
from webhooks.catalog import covers
from webhooks.delivery.bulk import insert_rows
from webhooks.models import Delivery, Event, Subscription
from webhooks.order import hold, in_steps, place_last
from webhooks.outcomes import planned
from webhooks.states import EndpointKind, Outcome

EVENTS_AT_ONCE = 500
_AHEAD = 100
_COLUMNS = ("id", "merchant_id", "mode", "event_id", "event_at", "endpoint_id")


def fan_out() -> int:
    """Fan one batch of events out; how many there were.

    Safe to repeat and to run twice at once: events are locked, and event and endpoint are unique together.
    Each is given its place in the order of all events here, where nobody waits for it. Source: docs/adr/0104.
    Locks: the order; the events, skipping locked ones.
    """
    pending = Event.objects.filter(fanned_out_at=None)
    if not pending.exists():
        return 0
    with transaction.atomic():
        order = hold()
        events = _next_events(pending)
        moment, by_tenant = now(), _subscriptions(events)
        shared = {"outcome": Outcome.DUE.value, "attempts": 0, "attempts_before": 0, "created_at": moment}
        for is_pulled in (False, True):
            rows = _deliveries(events, by_tenant, is_pulled=is_pulled)
            insert_rows(Delivery, _COLUMNS, rows, {**shared, **planned(moment, is_pulled=is_pulled)})
        place_last(order, events, moment)
    if traces.is_on:  # now it is committed: each event as a span, from when it happened until it was fanned out
        for event in events:
            place, subject = place_of_event(event.resource_id, event.id), event.resource_id
            traces.was(f"event {event.type}", place, event.occurred_at, moment, subject=subject, event=event.id)
    return len(events)


def _next_events(pending: "QuerySet[Event]") -> list[Any]:
    """The events that come next, those of a resource by its steps.

    Left for later is what somebody else holds, and with it what happened to the same resource afterwards: its steps
    would get places in another order. Why a look ahead too, for more of the same resources: clocks of two machines
    differ.
    """
    rows = pending.order_by("occurred_at", "sequence", "pk")
    ahead: list[tuple[str, uuid.UUID, int]] = list(
        rows.values_list("id", "resource_id", "sequence")[: EVENTS_AT_ONCE + _AHEAD]
    )
    resources = {resource_id for _, resource_id, _ in ahead[:EVENTS_AT_ONCE]}
    chosen = [row[0] for place, row in enumerate(ahead) if place < EVENTS_AT_ONCE or row[1] in resources]
    free: list[Any] = list(
        rows.filter(pk__among=chosen)
        .select_for_update(skip_locked=True)
        .values_list("id", "merchant_id", "mode", "type", "occurred_at", "resource_id", "sequence", named=True)
    )
    mine: set[str] = {event.id for event in free}
    left: dict[uuid.UUID, int] = {}
    for key, resource_id, sequence in ahead:
        if key not in mine:
            left[resource_id] = min(sequence, left.get(resource_id, sequence))
    return in_steps([event for event in free if event.sequence < left.get(event.resource_id, event.sequence + 1)])


def _deliveries(
    events: list[Any], by_tenant: dict[tuple[int, str], list[Any]], *, is_pulled: bool
) -> list[tuple[Any, ...]]:
    return [
        (uuid.uuid4(), event.merchant_id, event.mode, event.id, event.occurred_at, subscription.endpoint_id)
        for event in events
        for subscription in by_tenant[event.merchant_id, event.mode]
        if (subscription.kind == EndpointKind.PULL) == is_pulled
        and subscription.valid_from <= event.occurred_at
        and (subscription.valid_to is None or event.occurred_at < subscription.valid_to)
        and covers(subscription.events, event.type)
    ]


def _subscriptions(events: Iterable[Any]) -> dict[tuple[int, str], list[Any]]:
    """The subscriptions that may want any of these events with their endpoints' kinds, by merchant and mode."""
    found: dict[tuple[int, str], list[Any]] = defaultdict(list)
    moments = [event.occurred_at for event in events]
    if not moments:
        return found
    rows = Subscription.objects.filter(
        Q(valid_to=None) | Q(valid_to__gt=min(moments)),
        merchant_id__in={event.merchant_id for event in events},
        valid_from__lte=max(moments),
    )
    for row in rows.annotate(kind=F("endpoint__kind")):
        found[row.merchant_id, row.mode].append(row)
    return found
