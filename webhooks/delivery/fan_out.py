"""Turns each event into one delivery per endpoint that was enabled and subscribed when it happened."""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from core.clock import now
from core.trace_places import place_of_event
from core.traces import traces
from webhooks.catalog import covers
from webhooks.delivery.bulk import insert_rows
from webhooks.models import Delivery, Event, Subscription
from webhooks.states import Outcome

EVENTS_AT_ONCE = 500
_COLUMNS = ("id", "merchant_id", "mode", "event_id", "event_at", "endpoint_id")


def fan_out() -> int:
    """Fan one batch of events out; how many there were.

    Safe to repeat and to run twice at once: events are locked, and event and endpoint are unique together.
    """
    pending = Event.objects.filter(fanned_out_at=None)
    if not pending.exists():
        return 0
    with transaction.atomic():
        events: list[Any] = list(
            pending.select_for_update(skip_locked=True)
            .order_by("occurred_at", "pk")
            .values_list("id", "merchant_id", "mode", "type", "occurred_at", "resource_id", named=True)[:EVENTS_AT_ONCE]
        )
        moment = now()
        shared = {"outcome": Outcome.DUE.value, "attempts": 0, "attempts_before": 0}
        insert_rows(
            Delivery, _COLUMNS, _deliveries(events), {**shared, "next_attempt_at": moment, "created_at": moment}
        )
        since = min((event.occurred_at for event in events), default=moment)
        mine = Event.objects.filter(pk__among=[event.id for event in events], occurred_at__gte=since)
        mine.update(fanned_out_at=moment)
    if traces.is_on:
        _trace(events, moment)
    return len(events)


def _trace(events: list[Any], moment: datetime) -> None:
    """Each event as a span, from when it happened until it was fanned out. Why here: now it is committed."""
    for event in events:
        place = place_of_event(event.resource_id, event.id)
        traces.was(f"event {event.type}", place, event.occurred_at, moment, subject=event.resource_id, event=event.id)


def _deliveries(events: list[Any]) -> list[tuple[Any, ...]]:
    by_tenant = _subscriptions(events)
    return [
        (uuid.uuid4(), event.merchant_id, event.mode, event.id, event.occurred_at, subscription.endpoint_id)
        for event in events
        for subscription in by_tenant[event.merchant_id, event.mode]
        if _wanted(subscription, event)
    ]


def _wanted(subscription: Subscription, event: Any) -> bool:
    began = subscription.valid_from <= event.occurred_at
    ended = subscription.valid_to is not None and subscription.valid_to <= event.occurred_at
    return began and not ended and covers(subscription.events, event.type)


def _subscriptions(events: Iterable[Any]) -> dict[tuple[int, str], list[Subscription]]:
    """The subscriptions that may want any of these events, by merchant and mode."""
    found: dict[tuple[int, str], list[Subscription]] = defaultdict(list)
    moments = [event.occurred_at for event in events]
    if not moments:
        return found
    rows = Subscription.objects.filter(
        Q(valid_to=None) | Q(valid_to__gt=min(moments)),
        merchant_id__in={event.merchant_id for event in events},
        valid_from__lte=max(moments),
    )
    for row in rows:
        found[row.merchant_id, row.mode].append(row)
    return found
