"""One call without I/O: what to send, whether to send it again and when, and what an answer means."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from causeway_sdk._errors import APIConnectionError, APIError, class_for
from causeway_sdk._wire import amount, as_object, decode, encode, query_text

MAX_RETRIES = 2
LONGEST_PAUSE = 60.0
"""Seconds. A service that asks for a longer one is answered by raising."""
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_IN_PROGRESS = "idempotency_key_in_progress"
_FIRST_PAUSE, _USUAL_PAUSE = 0.5, 8.0


@dataclass(frozen=True)
class Operation:
    """What the description says of one method. ``amounts``: the fields and parameters that are exact decimals."""

    name: str
    verb: str
    path: str
    idempotent: bool = False
    amounts: tuple[str, ...] = ()
    cursor: str | None = None
    items: str = "data"
    next: str = "next_cursor"
    more: str = "has_more"


@dataclass(frozen=True)
class Plan:
    """A request, made once: every try sends the same bytes under the same key."""

    verb: str
    target: str
    headers: Mapping[str, str]
    content: bytes | None
    key: str | None
    may_repeat: bool


@dataclass(frozen=True)
class Answer:
    """An HTTP answer. Header names are in small letters."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)

    @property
    def request_id(self) -> str | None:
        """What support asks for."""
        return self.headers.get("request-id")

    @property
    def is_replay(self) -> bool:
        """Whether it is the first answer of the same idempotency key, sent again."""
        return self.headers.get("idempotent-replayed") == "true"


@dataclass(frozen=True)
class Lost:
    """No whole answer came."""

    reason: str


def plan(
    operation: Operation,
    path: Mapping[str, Any] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> Plan:
    """The request of one call. Raises: TypeError for a float in place of money, ValueError for an empty id."""
    target = operation.path
    for name, value in (path or {}).items():
        if not isinstance(value, str) or not value:
            raise ValueError(f"{name} must be an id, not {value!r}")
        target = target.replace(f"{{{name}}}", quote(value, safe=""))
    asked = query_text(_exact(query, operation.amounts))
    content = None if body is None else encode(_exact(body, operation.amounts)).encode()
    key = (idempotency_key or os.urandom(16).hex()) if operation.idempotent else None
    headers = {"Accept": "application/json"}
    if content is not None:
        headers["Content-Type"] = "application/json"
    if key is not None:
        headers["Idempotency-Key"] = key
    may_repeat = key is not None or operation.verb != "POST"
    return Plan(operation.verb, f"{target}?{asked}" if asked else target, headers, content, key, may_repeat)


def _exact(values: Mapping[str, Any] | None, amounts: tuple[str, ...]) -> dict[str, Any]:
    sent = {name: value for name, value in (values or {}).items() if value is not None}
    return {name: amount(value, name) if name in amounts else value for name, value in sent.items()}


class Tries:
    """Counts the tries of one plan."""

    def __init__(self, wanted: Plan, max_retries: int) -> None:
        self._plan = wanted
        self._left = max_retries if wanted.may_repeat else 0
        self._pause = _FIRST_PAUSE

    def pause_after(self, outcome: Answer | Lost) -> float | None:
        """How many seconds to wait before the next try, or None: this outcome is the last."""
        if self._left == 0 or not _may_pass(outcome):
            return None
        wanted = None if isinstance(outcome, Lost) else retry_after(outcome)
        if wanted is not None and wanted > LONGEST_PAUSE:
            return None
        self._left -= 1
        pause, self._pause = self._pause, min(self._pause * 2, _USUAL_PAUSE)
        spread = pause * random.uniform(0.5, 1)  # noqa: S311 - spreads tries, guards nothing
        return spread if wanted is None else wanted + random.uniform(0, 0.25)  # noqa: S311 - as above

    def result(self, outcome: Answer | Lost) -> Answer:
        """The last outcome. Raises: APIConnectionError, APIError."""
        if isinstance(outcome, Lost):
            raise APIConnectionError(outcome.reason, idempotency_key=self._plan.key)
        if not 200 <= outcome.status < 300:
            raise error_of(outcome)
        return outcome


def _may_pass(outcome: Answer | Lost) -> bool:
    if isinstance(outcome, Lost) or outcome.status in _AGAIN:
        return True
    return outcome.status == 409 and _body_of(outcome).get("code") == _IN_PROGRESS


def retry_after(answer: Answer) -> float | None:
    """The seconds that ``Retry-After`` asks for, in either of its forms."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    if not text:
        return None
    from email.utils import parsedate_to_datetime  # Why here: takes long to load, and few answers need it

    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _body_of(answer: Answer) -> dict[str, Any]:
    try:
        return as_object(decode(answer.content))
    except ValueError:
        return {}


def error_of(answer: Answer) -> APIError:
    """The refusal in an answer. What is not the service's own, such as a proxy's page, is ``unexpected_answer``."""
    body = _body_of(answer)
    said, code = body.get("error"), body.get("code")
    return class_for(answer.status)(
        said if isinstance(said, str) else f"An answer of status {answer.status} that is not the service's own.",
        status=answer.status,
        code=code if isinstance(code, str) else "unexpected_answer",
        details=as_object(body.get("details")),
        request_id=body.get("request_id") or answer.request_id,
        doc_url=body.get("doc_url"),
        retryable=_may_pass(answer),
        retry_after=retry_after(answer),
    )


def value_of(answer: Answer) -> Any:
    """The JSON of a successful answer. Raises: APIError where it is none."""
    try:
        return decode(answer.content)
    except ValueError:
        pass
    raise APIError("The answer is not JSON.", status=answer.status, request_id=answer.request_id)
