"""What of the API ends, and when: one row for each operation, parameter or field. Source: docs/guides/versions.md.

A row puts ``Deprecation`` (RFC 9745), ``Sunset`` (RFC 8594) and a ``Link`` on the answers to whoever uses it, and
``deprecated: true`` with both dates into the description.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponseBase
from django.utils.http import http_date

NOTICE: Final = timedelta(days=365)
"""The least time between the two dates."""
GUIDE: Final = "/docs/versions"
_PLACE: Final = re.compile(r"\\\{[^}]+\\\}")


@dataclass(frozen=True, kw_only=True)
class Deprecation:
    """What ends. ``path`` is written as in the description; ``instead`` is a sentence that says what to use.

    ``parameter`` is one of the query, ``field`` one of the body; without either it is the operation. Why every answer
    of the operation warns of a field: a body is read once, and not here.
    """

    method: str
    path: str
    since: date
    until: date
    instead: str
    parameter: str = ""
    field: str = ""

    def is_used(self, method: str, path: str, query: str) -> bool:
        """Whether a request uses it."""
        if method != self.method or not re.fullmatch(_PLACE.sub("[^/]+", re.escape(self.path)), path):
            return False
        return not self.parameter or self.parameter in dict(parse_qsl(query, keep_blank_values=True))

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What the answer to such a request carries."""
        return (
            ("Deprecation", f"@{_seconds(self.since)}"),
            ("Sunset", http_date(_seconds(self.until))),
            ("Link", f'<{GUIDE}>; rel="deprecation"'),
        )

    @property
    def sentence(self) -> str:
        """The same for people."""
        return f"Deprecated since {self.since}; it ends on {self.until}. {self.instead}"


DEPRECATIONS: tuple[Deprecation, ...] = ()
"""Everything that ends; nothing now."""


def warn(request: HttpRequest, response: HttpResponseBase) -> None:
    """Put the warnings on an answer; beside a link that it has already."""
    for name, value in warnings_of(str(request.method), request.path, request.META.get("QUERY_STRING", "")):
        response.headers[name] = f"{response.headers[name]}, {value}" if name in response.headers else value


def warnings_of(method: str, path: str, query: str) -> Iterator[tuple[str, str]]:
    """The headers of what a request uses and ends first; none for most."""
    used = [one for one in DEPRECATIONS if one.is_used(method, path, query)]
    if used:
        yield from min(used, key=lambda one: one.until).headers


def _seconds(day: date) -> int:
    return int(datetime.combine(day, time(), tzinfo=UTC).timestamp())
