"""Keyset pages: newest first, stable under inserts, no OFFSET and no count."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, Q, QuerySet
from django.utils.dateparse import parse_datetime

from core.errors import InvalidParameter
from core.ids import parse_public_id

Row = TypeVar("Row", bound=Model)
_SMALL_INTEGER = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, kw_only=True)
class PageLimits:
    """How many rows a list gives when not asked, and at most."""

    default: int
    maximum: int


@dataclass(frozen=True, kw_only=True)
class Page(Generic[Row]):
    """One page of rows, newest first. ``has_more``: whether the list goes on in the direction that was asked."""

    rows: Sequence[Row]
    has_more: bool
    parameter: str = "starting_after"

    @property
    def next_cursor(self) -> str | None:
        """What to send in the same parameter to go on, or None where the list ends."""
        if not self.has_more or not self.rows:
            return None
        return str(self.rows[-1 if self.parameter == "starting_after" else 0].pk)


def invalid_parameter(name: str, message: str) -> InvalidParameter:
    """The refusal of one query parameter."""
    return InvalidParameter(f"{name}: {message}", details={"parameter": name})


def read_moment(name: str, text: str) -> datetime:
    """The moment that a query parameter names. Raises: InvalidParameter.

    Why a space counts as a plus: that is what an unescaped ``+02:00`` turns into on its way.
    """
    try:
        moment = parse_datetime(text.replace(" ", "+"))
        in_utc = None if moment is None or moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        in_utc = None
    if in_utc is None:
        raise invalid_parameter(name, "must be an RFC 3339 time with a zone, like 2026-01-31T12:00:00Z.")
    return in_utc


def read_limit(query: Mapping[str, str], limits: PageLimits) -> int:
    """The asked-for number of rows. Raises: InvalidParameter outside 1 to the maximum."""
    text = query.get("limit")
    if text is None:
        return limits.default
    if not _SMALL_INTEGER.fullmatch(text) or not 1 <= int(text) <= limits.maximum:
        raise invalid_parameter("limit", f"must be an integer from 1 to {limits.maximum}.")
    return int(text)


def read_page(
    queryset: QuerySet[Row],
    query: Mapping[str, str],
    limits: PageLimits,
    *,
    cursors: QuerySet[Row] | None = None,
    any_of: Sequence[Q] = (),
) -> Page[Row]:
    """One page of an already filtered and already scoped queryset.

    ``cursors`` are the rows that may serve as a cursor, by default those of the list itself.
    ``any_of`` are conditions of which a row must meet one, whichever.
    Raises: InvalidParameter for a bad limit or a cursor the caller cannot see.
    Why ``cursors``: a row that no longer matches a filter, say on status, must still lead to the next page.
    Why ``any_of``: each is asked apart, in the order of its own index; together they would have none.
    """
    limit = read_limit(query, limits)
    seen = queryset if cursors is None else cursors
    parts = [queryset.filter(one) for one in any_of] or [queryset]
    match query.get("starting_after"), query.get("ending_before"):
        case None, None:
            return _older(parts, limit)
        case str() as text, None:
            older = _beside(_cursor_row(seen, "starting_after", text), "lt")
            return _older([part.filter(older) for part in parts], limit)
        case None, str() as text:
            newer = _beside(_cursor_row(seen, "ending_before", text), "gt")
            return _newer([part.filter(newer) for part in parts], limit)
    raise invalid_parameter("starting_after", "cannot be combined with ending_before.")


def cut_page(rows: Sequence[Row], query: Mapping[str, str], limits: PageLimits) -> Page[Row]:
    """A page of a list that is short enough to be read whole, in whatever order it has.

    Raises: InvalidParameter for a bad limit, or a cursor that is not in the list.
    """
    limit, first, text = read_limit(query, limits), 0, query.get("starting_after")
    if text is not None:
        key = parse_public_id(text, "")
        places = [place for place, row in enumerate(rows) if row.pk == key]
        if not places:
            raise invalid_parameter("starting_after", "is not the id of a resource in this list.")
        first = places[0] + 1
    return Page(rows=rows[first : first + limit], has_more=len(rows) > first + limit)


def _older(parts: Sequence[QuerySet[Row]], limit: int) -> Page[Row]:
    found = {row.pk: row for part in parts for row in part.order_by("-created_at", "-id")[: limit + 1]}
    rows = sorted(found.values(), key=_place, reverse=True)
    return Page(rows=rows[:limit], has_more=len(rows) > limit)


def _newer(parts: Sequence[QuerySet[Row]], limit: int) -> Page[Row]:
    found = {row.pk: row for part in parts for row in part.order_by("created_at", "id")[: limit + 1]}
    rows = sorted(found.values(), key=_place)
    return Page(rows=rows[:limit][::-1], has_more=len(rows) > limit, parameter="ending_before")


def _place(row: Any) -> tuple[Any, Any]:
    return row.created_at, row.pk


def _beside(edge: Any, side: str) -> Q:
    """Rows on one side of another row, in the order of time and id.

    Why the bound, which says nothing new: the database then walks its index from there, not from the list's end.
    """
    bound = Q(**{f"created_at__{side}e": edge.created_at})
    farther = Q(**{f"created_at__{side}": edge.created_at})
    return bound & (farther | Q(created_at=edge.created_at, **{f"id__{side}": edge.pk}))


def _cursor_row(seen: QuerySet[Row], name: str, text: str) -> Any:
    key: uuid.UUID | None = parse_public_id(text, "pi_")
    row = None if key is None else seen.filter(pk=key).only("pk", "created_at").first()
    if row is None:
        raise invalid_parameter(name, "is not the id of a resource in this list.")
    return row


def page_body(page: Page[Row], written: Sequence[Any]) -> dict[str, Any]:
    """The wire form of a page whose rows have been written out."""
    return {"data": written, "has_more": page.has_more, "next_cursor": page.next_cursor}


def whole_body(written: Sequence[Any]) -> dict[str, Any]:
    """The wire form of a list that is never paged. Why the same keys: a client reads every list in one way."""
    return {"data": written, "has_more": False, "next_cursor": None}


def link_header(path: str, query: Mapping[str, str], page: Page[Row]) -> dict[str, str]:
    """``Link: rel=next`` for clients that keep to ``data``; empty where the list ends."""
    if page.next_cursor is None:
        return {}
    kept = {name: value for name, value in query.items() if name not in {"starting_after", "ending_before"}}
    return {"Link": f'<{path}?{urlencode({**kept, page.parameter: page.next_cursor})}>; rel="next"'}
