"""A merchant's events in their one order: pages that go on from a cursor, and what a cursor means.

Nothing that is committed later stands before a cursor that was handed out. Source: docs/adr/0104.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from core.clock import now
from core.errors import NotFound
from core.ids import parse_public_id
from core.pagination import PageLimits, invalid_parameter, read_limit
from merchants.principal import Principal
from webhooks.catalog import types_covered_by, unknown_names
from webhooks.errors import CursorExpired
from webhooks.events import retention
from webhooks.models import Event
from webhooks.order import NOWHERE, current, microseconds

EVENT_PAGE: Final = PageLimits(default=20, maximum=100)
NOW: Final = "now"
MOST_LOOKED_AT: Final = 1000
"""Events that one page of some types looks at, however few match. A page may then be empty and the list go on."""
SPARE: Final = timedelta(days=1)
"""A cursor ends so long before what follows it is deleted. Why: an event may have had to wait for its place."""
OF_ENDPOINTS: Final = "webhook_endpoint"
_CURSOR = re.compile(r"cur_([0-9a-f]{16})")
_EVENT_ID = re.compile(r"evt_[0-9a-f]{32}")
_PLAIN = ("position", "payload")


@dataclass(frozen=True, kw_only=True)
class EventQuery:
    """What is asked for: events after a place (None: from the oldest), of these types (None: all), of one resource."""

    after: int | None
    limit: int
    types: Sequence[str] | None
    resource_id: UUID | None


@dataclass(frozen=True, kw_only=True)
class EventPage:
    """The exact texts that receivers get with the place of each, the oldest first, and from where to go on."""

    rows: Sequence[tuple[int, str]]
    has_more: bool
    place: int

    @property
    def payloads(self) -> list[str]:
        """The texts alone."""
        return [text for _, text in self.rows]

    @property
    def cursors(self) -> list[str]:
        """Where to go on behind each of them. Why each: who stops in the middle of a page has done what was before."""
        return [cursor_at(place) for place, _ in self.rows]

    @property
    def cursor(self) -> str:
        """The place as callers carry it."""
        return cursor_at(self.place)

    @property
    def is_news(self) -> bool:
        """Whether there is anything to be read, here or on the next page."""
        return self.has_more or bool(self.rows)


def read_query(query: Mapping[str, str]) -> EventQuery:
    """What the parameters ask for. Raises: InvalidParameter, CursorExpired."""
    for name in ("starting_after", "ending_before", "cursor"):
        if name in query:
            raise invalid_parameter(name, "is not known here. Events come oldest first: send `after`.")
    return EventQuery(
        after=_place_in(query.get("after")),
        limit=read_limit(query, EVENT_PAGE),
        types=_types_in(query.get("type")),
        resource_id=_resource_in(query.get("resource_id")),
    )


def events_of(principal: Principal, *, is_restricted: bool) -> QuerySet[Event]:
    """The events that a caller may read. Why not all with a restricted key: the news of an endpoint has its address."""
    own = Event.objects.visible_to(principal)
    return own.exclude(resource_type=OF_ENDPOINTS) if is_restricted else own


def find_event(events: QuerySet[Event], text: str) -> Event:
    """The event with this id. Raises: NotFound."""
    found = events.filter(pk=text).first() if _EVENT_ID.fullmatch(text) else None
    if found is None:
        raise NotFound("event")
    return found


def read_page(events: QuerySet[Event], asked: EventQuery) -> EventPage:
    """The next events after a place. Two questions; with types a third, for the texts of those that match.

    Why the order first: whatever has a place up to its last one is committed then, and so seen by what is asked next.
    """
    order = current()
    # Why not the oldest while what was there before is given its place: it would come behind what was read.
    beginning = NOWHERE if order.is_whole else order.began - 1
    after = beginning if asked.after is None else asked.after
    ahead = between(events, after, order.last)
    if asked.resource_id is not None:
        ahead = ahead.filter(resource_id=asked.resource_id)
    if asked.types is None:
        rows: list[Any] = list(ahead.values_list(*_PLAIN)[: asked.limit + 1])
        return _page(rows, asked.limit, max(after, order.last))
    return _page_of_types(ahead, asked.types, asked.limit, max(after, order.last))


def between(events: QuerySet[Event], after: int, until: int) -> QuerySet[Event]:
    """Those events behind one place and up to another, in their order."""
    return events.filter(position__gt=after, position__lte=until).order_by("position", "pk")


def _page_of_types(ahead: QuerySet[Event], types: Sequence[str], limit: int, until: int) -> EventPage:
    """Why not by the database: it would walk past all that do not match, however many."""
    looked_at: list[Any] = list(ahead.values_list("position", "type", "pk", "occurred_at")[: MOST_LOOKED_AT + 1])
    wanted = set(types)
    chosen = [row for row in looked_at[:MOST_LOOKED_AT] if row[1] in wanted][: limit + 1]
    rows: list[tuple[int, str]] = []
    if chosen:
        since = min(occurred_at for *_, occurred_at in chosen)  # leaves out the partitions of earlier weeks
        found = ahead.filter(pk__among=[key for _, _, key, _ in chosen], occurred_at__gte=since)
        texts = dict(found.values_list("position", "payload"))
        rows = [(place, texts[place]) for place, *_ in chosen if place in texts]
    if len(looked_at) > MOST_LOOKED_AT and len(chosen) <= limit:
        page = _page(rows, limit, looked_at[MOST_LOOKED_AT - 1][0])
        return EventPage(rows=page.rows, has_more=True, place=page.place)
    return _page(rows, limit, until)


def _page(rows: list[tuple[int, str]], limit: int, until: int) -> EventPage:
    has_more = len(rows) > limit
    place = rows[limit - 1][0] if has_more else until
    return EventPage(rows=rows[:limit], has_more=has_more, place=place)


class Watch:
    """Looks again and again for what comes after an empty page. Nothing is read twice, and nothing where no event of
    anybody has got its place since.
    """

    def __init__(self, events: QuerySet[Event], asked: EventQuery, page: EventPage) -> None:
        self._events, self._asked, self.page = events, asked, page

    def finds(self) -> bool:
        """Whether ``page`` has news by now."""
        if current().last > self.page.place:
            self.page = read_page(self._events, replace(self._asked, after=self.page.place))
        return self.page.is_news


def cursor_at(place: int) -> str:
    """A place as callers carry it."""
    return f"cur_{place:016x}"


def _place_in(text: str | None) -> int | None:
    if text is None:
        return None
    order = current()
    if text == NOW:
        return order.last
    found = _CURSOR.fullmatch(text)
    place = int(found[1], 16) if found else -1
    if not 0 <= place <= max(order.last, microseconds(now())):
        raise invalid_parameter("after", "must be a `cursor` of this list, or `now`.")
    if place < order.last and place < microseconds(now() - retention() + SPARE):
        raise CursorExpired
    return place


def _types_in(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = text.split(",")
    if unknown_names(names):
        raise invalid_parameter("type", "must be one or more event types or `<resource>.*`, separated by commas.")
    return types_covered_by(names)


def _resource_in(text: str | None) -> UUID | None:
    key = None if text is None else parse_public_id(text)
    if text is not None and key is None:
        raise invalid_parameter("resource_id", "must be the id of a resource.")
    return key
