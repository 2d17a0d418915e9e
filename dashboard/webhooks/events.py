"""Everything that happened, as receivers are told of it: the list of events, and one with its deliveries."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import NoReverseMatch

from core.ids import parse_public_id
from dashboard.page import draw
from dashboard.visit import Visit
from dashboard.webhooks.lines import delivery_line, pretty, shown_payload
from dashboard.webhooks.paging import Narrowing, in_order, sheet_of
from merchants.acts import Act
from webhooks.catalog import EVENT_TYPES
from webhooks.models import Delivery, Event

PREFIX = "evt_"
MOST_DELIVERIES = 50
"""An endpoint has one delivery of an event; deleted endpoints keep theirs for a while."""


class EventIdConverter:
    """An event's id in an address, read as the UUID that it is."""

    regex = "evt_[0-9a-f]{32}"

    def to_python(self, value: str) -> UUID:
        """The id without its prefix."""
        return UUID(value.removeprefix(PREFIX))

    def to_url(self, value: UUID | str) -> str:
        """The id as everybody writes it."""
        return value if isinstance(value, str) else f"{PREFIX}{value.hex}"


def list_events(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest events that are asked for, and the way to older ones."""
    wanted = Narrowing(request.GET.dict(), names=("type",))
    rows: Any = Event.objects.visible_to(visit.principal).defer("payload")
    event_type, key = wanted.type(), parse_public_id(wanted.asked.get("before", ""), PREFIX)
    before = rows.filter(pk=f"{PREFIX}{key.hex}").first() if key else None
    sheet = sheet_of(rows, "occurred_at", before, event_type, "type")
    here = visit.url("events")
    context = {
        "lines": [] if wanted.faults else in_order(rows, sheet.keys),
        "wanted": wanted,
        "types": [entry.name for entry in EVENT_TYPES],
        "is_cut": sheet.is_cut,
        "older": f"{here}?{urlencode({**wanted.words, 'before': sheet.before})}" if sheet.before else "",
        "newest": f"{here}?{wanted.query}" if wanted.is_later_page else "",
    }
    return draw(request, visit, "dashboard/webhooks/events.html", context, status=400 if wanted.faults else 200)


def show_event(request: HttpRequest, visit: Visit, event_id: UUID) -> HttpResponse:
    """What happened, exactly as it is told, and to whom it was delivered."""
    mine = Event.objects.visible_to(visit.principal)
    event: Event | None = mine.filter(pk=f"{PREFIX}{event_id.hex}").first()
    if event is None:
        raise Http404
    rows = Delivery.objects.filter(event=event).select_related("event", "endpoint").prefetch_related("tries")
    payload = shown_payload(visit, event)
    context = {
        "event": event,
        "lines": [delivery_line(delivery) for delivery in rows.order_by("created_at", "pk")[:MOST_DELIVERIES]],
        "payload": payload,
        "pretty": pretty(payload),
        "may_see": visit.may(Act.SEE_CUSTOMERS),
        "page_of_resource": _resource_url(visit, event),
    }
    return draw(request, visit, "dashboard/webhooks/event.html", context)


_PAGES = {
    "payment_intent": ("payment", "intent_id"),
    "refund": ("refund", "refund_id"),
    "payout": ("payout", "payout_id"),
}


def _resource_url(visit: Visit, event: Event) -> str:
    """Where the page is of what the event tells of; empty where it has none. A sample's leads to nothing."""
    if event.resource_type not in _PAGES:
        return ""
    name, word = _PAGES[event.resource_type]
    try:
        return visit.url(name, **{word: event.resource_id})
    except NoReverseMatch:
        return ""
