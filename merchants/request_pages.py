"""The request log in pages, newest first, for the keys of the merchant whose requests they were."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Q, QuerySet

from core.pagination import Page, PageLimits, invalid_parameter, read_limit
from merchants.models import RequestRecord
from merchants.models.requests import PATH_LENGTH
from merchants.principal import Principal

LINE_PAGE: Final = PageLimits(default=20, maximum=100)
LOOKED_THROUGH: Final = 10_000
"""Lines in which one page of a filter is looked for. A page may then be empty and the list go on."""
STATUS_PATTERN: Final = "^([245]xx|[1-5][0-9]{2})(,([245]xx|[1-5][0-9]{2})){0,9}$"
_STATUSES: Final = re.compile(STATUS_PATTERN)
_REQUEST_ID: Final = re.compile(r"req_[0-9a-f]{32}")
_CLASS: Final = "xx"


@dataclass(frozen=True, kw_only=True)
class LinePage(Page[RequestRecord]):
    """One page of lines. Its cursor is the name of a request: the last shown, or the last looked at."""

    cursor: str | None = None

    @property
    def next_cursor(self) -> str | None:
        """What to send in the same parameter to go on, or None where the list ends."""
        return self.cursor


def read_lines(principal: Principal, query: Mapping[str, str]) -> LinePage:
    """The lines that the query asks for. Raises: InvalidParameter."""
    limit, wanted = read_limit(query, LINE_PAGE), _conditions(query)
    mine = RequestRecord.objects.visible_to(principal)
    match query.get("starting_after"), query.get("ending_before"):
        case str(), str():
            raise invalid_parameter("starting_after", "cannot be combined with ending_before.")
        case None, str() as text:
            newer = mine.filter(pk__gt=_place(mine, "ending_before", text)).order_by("pk")
            return _page(newer, wanted, limit, "ending_before")
        case str() as text, None:
            mine = mine.filter(pk__lt=_place(mine, "starting_after", text))
    return _page(mine.order_by("-pk"), wanted, limit, "starting_after")


def _page(ahead: QuerySet[RequestRecord], wanted: Q, limit: int, parameter: str) -> LinePage:
    """Why not all that are ahead are looked at: no index leads to what is rare."""
    is_onward = parameter == "ending_before"
    end = ahead[LOOKED_THROUGH - 1 : LOOKED_THROUGH].first() if wanted else None
    near = ahead if end is None else ahead.filter(**{"pk__lte" if is_onward else "pk__gte": end.pk})
    found = list(near.filter(wanted)[: limit + 1])
    rows = found[:limit]
    last = rows[-1] if len(found) > limit else end
    cursor = None if last is None else last.request_id
    shown = rows[::-1] if is_onward else rows
    return LinePage(rows=shown, has_more=last is not None, parameter=parameter, cursor=cursor)


def _place(mine: QuerySet[RequestRecord], name: str, text: str) -> int:
    found = mine.filter(request_id=text).order_by("-pk").first() if _REQUEST_ID.fullmatch(text) else None
    if found is None:
        raise invalid_parameter(name, "is not the id of a request in this list.")
    return found.pk


def _conditions(query: Mapping[str, str]) -> Q:
    wanted, path = Q(), query.get("path")
    if (statuses := query.get("status")) is not None:
        if not _STATUSES.fullmatch(statuses):
            raise invalid_parameter("status", "must be statuses like 404 or 5xx, separated by commas; at most ten.")
        for one in statuses.split(","):
            first = int(one.removesuffix(_CLASS)) * (100 if one.endswith(_CLASS) else 1)
            wanted |= Q(status__range=(first, first + 99 if one.endswith(_CLASS) else first))
    if path is not None:
        if not path.startswith("/") or len(path) > PATH_LENGTH or not path.isprintable():
            raise invalid_parameter("path", "must be a whole path, like /api/public/v1/payment-intents.")
        wanted &= Q(path=path)
    return wanted
