"""Requests that change a payment, as spans of its trace: which, under which name, and whose."""

import re
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import orjson

from config.whole_requests import Answer, Environment
from core.clock import now
from core.ids import parse_public_id
from core.trace_places import root_of
from core.traces import traces

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
