"""What is noted of a request that was answered: it is counted, and those that change a payment are spans of its trace.

Counted by the part of the service that was asked, and by what it answered; traced under which name, and whose.
"""

import re
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import orjson

from config.whole_requests import Answer, Environment
from core.clock import now
from core.ids import parse_public_id
from core.metrics import REQUESTS
from core.trace_places import root_of
from core.traces import traces

_AREAS: Final = (
    ("/api/public/health", "health"),
    ("/api/public/v1/checkout/", "checkout"),
    ("/api/", "api"),
    ("/mcp", "agents"),
    ("/oauth", "agents"),
    ("/checkout/", "checkout"),
    ("/embed/", "checkout"),
    ("/claim/", "checkout"),
    ("/dashboard/", "dashboard"),
    ("/accounts/", "dashboard"),
    ("/admin/", "operators"),
    ("/static/", "static"),
)
"""By how a path begins, the longer beginning first."""
OTHER: Final = "other"
AREAS: Final = frozenset(area for _, area in _AREAS) | {OTHER}
_API: Final = "/api/public/v1/"
_MADE: Final = frozenset({"payment-intents", "refunds"})
"""What a POST makes one of."""
_ABOUT: Final = frozenset({*_MADE, "payouts", "checkout", "test-helpers"})
_CHANGES: Final = frozenset({"POST", "PATCH", "PUT", "DELETE"})
"""Why nothing that only reads: a page that waits asks each second."""
_UNTRACED: Final = frozenset({401, 403, 404, 405, 429})
"""Answers to strangers, to what is nobody's, and to who asks too often."""
_CREATED: Final = 201
_WORD: Final = re.compile(r"[a-z][a-z-]{0,30}")
_SERVER_ERROR: Final = 500


def area_of(path: str) -> str:
    """The part of the service that a path belongs to. Why so coarse: labels are a closed list, paths are anybody's."""
    return next((area for beginning, area in _AREAS if path.startswith(beginning)), OTHER)


def note_request(environment: Environment, answer: Answer, seconds: float) -> None:
    """Count a request that was answered, and trace it where there are traces."""
    REQUESTS.observe(area_of(environment["PATH_INFO"]), f"{answer.status // 100}xx", seconds=seconds)
    if traces.is_on:
        trace_request(environment, answer, seconds)


def trace_request(environment: Environment, answer: Answer, seconds: float) -> None:
    """Trace a request that was answered, if it is one that made or changed something of a merchant's."""
    method, path = environment["REQUEST_METHOD"], environment["PATH_INFO"]
    if method not in _CHANGES or not path.startswith(_API) or answer.status in _UNTRACED:
        return
    parts = path[len(_API) :].strip("/").split("/")
    if parts[0] not in _ABOUT or (subject := _subject(parts, answer)) is None:
        return
    ended, headers = now(), dict(answer.headers)
    is_first = parts[0] in _MADE and len(parts) == 1 and "Idempotent-Replayed" not in headers
    route = _API + "/".join(part if _WORD.fullmatch(part) else "{id}" for part in parts)
    traces.was(
        f"{method} {route}",
        root_of(subject) if is_first else None,
        ended - timedelta(seconds=seconds),
        ended,
        environment.get("HTTP_TRACEPARENT", ""),
        subject=subject,
        method=method,
        route=route,
        status=str(answer.status),
        request=headers.get("Request-Id", ""),
        error="failed" if answer.status >= _SERVER_ERROR else "",
    )


def _subject(parts: list[str], answer: Answer) -> UUID | None:
    """Whose trace it is: of what is named in the path, or else was made."""
    for part in parts[1:]:
        if (named := parse_public_id(part.rpartition("_")[2])) is not None:
            return named
    if len(parts) > 1 or answer.status != _CREATED or not isinstance(answer.content, bytes):
        return None
    made: Any = orjson.loads(answer.content)
    return parse_public_id(str(made.get("id")))
