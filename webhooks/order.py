"""The one order of all events: each is given its place once, by whoever holds the order, and places only grow.

So what is committed later never stands before what somebody has seen. Source: docs/adr/0104.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from core.bulk import insert_once
from core.clock import now
from webhooks.models import Event, EventOrder

NOWHERE: Final = 0
"""The place of an event that is in no list."""
AT_ONCE: Final = 500
SETTLED: Final = timedelta(hours=1)
"""How long after the order began a program of before may still fan out what occurred before."""
_ONLY = 1
_PLACE = """
UPDATE webhooks_event AS event SET position = given.position, fanned_out_at = coalesce(event.fanned_out_at, %s)
FROM unnest(%s::varchar[], %s::bigint[]) AS given (id, position)
WHERE event.id = given.id AND event.occurred_at >= %s
"""
_PLACE_ONE = "UPDATE webhooks_event SET fanned_out_at = coalesce(fanned_out_at, %s), position = %s WHERE id = %s"


class Unplaced(NamedTuple):
    """What giving a place needs to know of an event."""

    id: str
    occurred_at: datetime
    resource_id: UUID
    sequence: int


def microseconds(moment: datetime) -> int:
    """A moment as places are counted: since 1970."""
    return round(moment.timestamp() * 1000) * 1000


def current() -> EventOrder:
    """The order as it stands. Whatever has a place up to its ``last`` is committed. It begins when first asked for."""
    found = EventOrder.objects.filter(pk=_ONLY).first()
    if found is None:
        at = microseconds(now())
        insert_once(EventOrder(pk=_ONLY, last=at, began=at))
        found = EventOrder.objects.get(pk=_ONLY)
    return found


def hold() -> EventOrder:
    """The order, to give places. Locks: its row, until the caller's transaction ends; before any event."""
    current()
    return EventOrder.objects.select_for_update().get(pk=_ONLY)


def in_steps(events: Sequence[Any]) -> list[Any]:
    """Events in their order, but those of a resource in the order of its steps, whatever their clocks said."""
    steps: dict[UUID, list[Any]] = {}
    for event in sorted(events, key=lambda event: event.sequence):
        steps.setdefault(event.resource_id, []).append(event)
    turns = {resource_id: iter(rows) for resource_id, rows in steps.items()}
    return [next(turns[event.resource_id]) for event in events]


def place_last(order: EventOrder, events: Sequence[Any], moment: datetime) -> None:
    """Give events the next places, in the order in which they come. Locks: the caller holds the order."""
    first = max(order.last + 1, microseconds(moment))
    order.last = first + len(events) - 1
    order.save(update_fields=["last"])
    _write(events, range(first, first + len(events)), moment)


def place_left_out() -> int:
    """Give a place to a batch of what a program of before fanned out without; how many there were.

    What occurred before the order began goes before its beginning, the oldest first; the rest to the end.
    Locks: the order; those events, skipping locked ones.
    """
    left = Event.objects.filter(position=None, fanned_out_at__isnull=False)
    if not left.exists():
        settled = microseconds(now() - SETTLED)
        EventOrder.objects.filter(pk=_ONLY, is_whole=False, began__lte=settled).update(is_whole=True)
        return 0
    with transaction.atomic():
        order = hold()
        rows = left.select_for_update(skip_locked=True).order_by("occurred_at", "sequence", "pk")
        events = in_steps([Unplaced(*row) for row in rows.values_list(*Unplaced._fields)[:AT_ONCE]])
        past = _places_of_before(order, events)
        _write(events[: len(past)], past, now())
        place_last(order, events[len(past) :], now())
    return len(events)


def _places_of_before(order: EventOrder, events: Sequence[Unplaced]) -> list[int]:
    """The places of the first of these events, as far as they occurred before the order began and it has room there."""
    places: list[int] = []
    for event in events:
        place = max(order.past + 1, microseconds(event.occurred_at))
        if place >= order.began:
            break
        places.append(place)
        order.past = place
    if places:
        order.save(update_fields=["past"])
    return places


def _write(events: Sequence[Any], places: Sequence[int], moment: datetime) -> None:
    if not events:
        return
    keys = [event.id for event in events]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            earliest = min(event.occurred_at for event in events)  # leaves out the partitions of earlier weeks
            cursor.execute(_PLACE, [moment, keys, [*places], earliest])
            return
        at = connection.ops.adapt_datetimefield_value(moment)
        cursor.executemany(_PLACE_ONE, [(at, place, key) for place, key in zip(places, keys, strict=True)])
