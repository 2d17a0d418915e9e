"""One call without I/O: exact values in and out, what to send, whether and when again, and what an answer means."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import quote

if TYPE_CHECKING:
    from causeway_sdk._generated import ErrorCode

Amount: TypeAlias = "Decimal | str | int"
"""Money in a request. A float is refused: 19.99 is no float."""


def amount(value: Any, name: str = "amount") -> Decimal:
    """The exact decimal. Raises: TypeError for a float, ValueError for text that is no number."""
    if isinstance(value, bool) or not isinstance(value, (Decimal, str, int)):
        raise TypeError(f"{name} must be a Decimal, str or int, not {type(value).__name__}: floats are not exact")
    try:
        found = Decimal(value)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise ValueError(f"{name} is not a decimal number")
    return found


def decimal(value: Any) -> Decimal:
    """An exact decimal of an answer, which is text or a JSON number."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def moment(value: Any) -> datetime:
    """An aware time of an answer."""
    return datetime.fromisoformat(value)


def written(value: datetime | date) -> str:
    """RFC 3339. Raises: ValueError for a time without a zone."""
    if not isinstance(value, datetime):
        raise TypeError("give a datetime with a zone, not a date")
    if value.tzinfo is None:
        raise ValueError("a time needs a zone: datetime.now(UTC)")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def encode(value: Any) -> str:
    """JSON in which a Decimal is an exact number."""
    inside: Any = value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return json.dumps(written(value))
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{encode(one)}" for key, one in inside.items()) + "}"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "[" + ",".join(encode(one) for one in inside) + "]"
    return json.dumps(value, allow_nan=False)


def decode(content: bytes) -> Any:
    """JSON in which a number with a point is an exact Decimal. Raises: ValueError."""
    return json.loads(content, parse_float=Decimal)


def query_text(values: Mapping[str, Any]) -> str:
    """A query. None is left out; several values are joined by commas; a mapping is ``name[key]=value``."""
    pairs: list[tuple[str, Any]] = []
    for name, value in values.items():
        inside: Any = value
        if isinstance(value, Mapping):
            pairs += [(f"{name}[{key}]", one) for key, one in inside.items()]
        elif value is not None:
            pairs.append((name, value))
    return "&".join(f"{quote(name, safe='[]')}={quote(_query_value(value), safe='')}" for name, value in pairs)


def _query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (datetime, date)):
        return written(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(_query_value(one) for one in cast("list[Any]", value))
    return str(value)


def as_object(value: Any) -> dict[str, Any]:
    """A JSON object as it is; of anything else, nothing."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


class CausewayError(Exception):
    """Everything that this package raises on purpose."""


class APIConnectionError(CausewayError):
    """No whole answer came, at any try.

    For a POST, what was asked may have been done: call again with the same ``idempotency_key`` to learn.
    """

    retryable = True

    def __init__(self, message: str, *, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class WaitTimeoutError(CausewayError):
    """The wait's own time was over. ``resource`` is the last state seen."""

    def __init__(self, message: str, resource: Any) -> None:
        super().__init__(message)
        self.resource = resource


class UnexpectedStatusError(WaitTimeoutError):
    """What was waited for ended in another status than the ones asked for. ``resource`` is its state."""


class APIError(CausewayError):
    """The service refused, or failed. ``details`` depends on ``code``; ``doc_url`` leads to what to change."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: ErrorCode = "unexpected_answer",
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        doc_url: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details: dict[str, Any] = dict(details or {})
        self.request_id = request_id
        self.doc_url = doc_url
        self.retryable = retryable
        self.retry_after = retry_after

    def __str__(self) -> str:
        told = f"{self.message} ({self.status} {self.code})"
        return f"{told} [{self.request_id}]" if self.request_id else told


class InvalidRequestError(APIError):
    """400, 405, 413, 415, 422: the request itself is wrong; ``details`` says where."""


class AuthenticationError(APIError):
    """401: no key, or not a key of this service."""


class PermissionDeniedError(APIError):
    """403: the key may not do this."""


class NotFoundError(APIError):
    """404: unknown, another merchant's, or the other mode's."""


class ConflictError(APIError):
    """409: the state does not allow it, or the idempotency key stands for another request."""


class RateLimitError(APIError):
    """429: too many requests. Units: ``retry_after`` in seconds."""


class ServerError(APIError):
    """5xx: a failure on the service's side."""


def class_for(status: int) -> type[APIError]:
    """The class of an answer with this status."""
    known: dict[int, type[APIError]] = {
        401: AuthenticationError,
        403: PermissionDeniedError,
        404: NotFoundError,
        409: ConflictError,
        429: RateLimitError,
    }
    if status in known:
        return known[status]
    if status >= 500:
        return ServerError
    return InvalidRequestError if 400 <= status < 500 else APIError


MAX_RETRIES = 2
LONGEST_PAUSE = 60.0
"""Seconds. A service that asks for a longer one is answered by raising."""
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_IN_PROGRESS = "idempotency_key_in_progress"
_FIRST_PAUSE, _USUAL_PAUSE = 0.5, 8.0


@dataclass(frozen=True)
class Plan:
    """A request, made once: every try sends the same bytes, and a POST the same key."""

    verb: str
    target: str
    headers: Mapping[str, str]
    content: bytes | None
    key: str | None


@dataclass(frozen=True)
class Answer:
    """An HTTP answer. Header names are in small letters."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)

    @cached_property
    def value(self) -> Any:
        """The body's JSON. Raises: ValueError where it is none."""
        return decode(self.content)

    @property
    def is_whole(self) -> bool:
        """Whether its body is JSON, as every answer of the service is. What a proxy cut off or wrote is not."""
        try:
            self.value  # noqa: B018 - read for what it raises
        except ValueError:
            return False
        return True

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


def plan(verb: str, path: str, given: Mapping[str, Any] | None = None, *, amounts: Collection[str] = ()) -> Plan:
    """The request of one call. What the path does not name is its query, or the body of a verb that has one.

    ``amounts`` are what is exact money. Raises: TypeError for a float in its place, ValueError for what is no id.
    """
    values = dict(given or {})
    target = "/".join(_segment(part[1:-1], values) if part.startswith("{") else part for part in path.split("/"))
    key = (values.pop("idempotency_key", None) or os.urandom(16).hex()) if verb == "POST" else None
    sent = {name: value for name, value in values.items() if value is not None}
    sent.update({name: amount(sent[name], name) for name in amounts if name in sent})
    headers = {"Accept": "application/json"}
    content = None
    if verb in {"GET", "DELETE"}:
        asked = query_text(sent)
        target = f"{target}?{asked}" if asked else target
    elif values:
        content = encode(sent).encode()
        headers["Content-Type"] = "application/json"
    if key is not None:
        headers["Idempotency-Key"] = key
    return Plan(verb, target, headers, content, key)


def _segment(name: str, values: dict[str, Any]) -> str:
    """An id in a path. Why not every text: dots alone and a slash would lead to another path."""
    value = values.pop(name, None)
    if not isinstance(value, str) or not value.strip(".") or "/" in value:
        raise ValueError(f"{name} must be an id, not {value!r}")
    return quote(value, safe="")


class Tries:
    """Counts the tries of one plan."""

    def __init__(self, wanted: Plan, max_retries: int) -> None:
        self._plan = wanted
        self._left = max_retries
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
        if not outcome.is_whole:
            raise APIConnectionError("The answer is not JSON.", idempotency_key=self._plan.key)
        return outcome


def _may_pass(outcome: Answer | Lost) -> bool:
    if isinstance(outcome, Lost) or outcome.status in _AGAIN:
        return True
    if 200 <= outcome.status < 300:
        return not outcome.is_whole
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
    return as_object(answer.value) if answer.is_whole else {}


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
