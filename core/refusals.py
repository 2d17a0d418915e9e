"""Which refusals an operation answers with: said once by their classes, from which statuses and codes follow.

What every operation of a kind answers is added by what it has: a body, a parameter, a credential.
Source: docs/adr/0102.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from drf_spectacular.utils import OpenApiResponse, inline_serializer
from rest_framework import serializers

from core.errors import (
    InvalidJson,
    InvalidParameter,
    InvalidRequest,
    NotFound,
    PayloadTooLarge,
    RateLimited,
    RequestTimeout,
    ServiceError,
    TemporarilyUnavailable,
)
from core.exception_handler import MalformedRequest, UnsupportedMediaType

ERROR = inline_serializer(
    "ErrorBody",
    {
        "error": serializers.CharField(help_text="One sentence for people."),
        "code": serializers.CharField(help_text="Stable, machine-readable."),
        "details": serializers.DictField(child=serializers.JSONField(), help_text="Depends on the code."),
        "request_id": serializers.CharField(help_text="The same value as the header Request-Id."),
        "doc_url": serializers.URLField(help_text="Where the code is explained: its cause, and what to change."),
    },
)
Refusal = type[ServiceError]
_MEANINGS: Final = {
    400: "Invalid input; nothing was changed.",
    401: "No, unknown or revoked API key.",
    403: "The key may not do this, or not from this origin or network address.",
    404: "Not found.",
    408: "The body did not arrive in time; nothing was changed.",
    409: "The current state does not allow this, or the idempotency key stands for another request.",
    410: "The cursor is older than what is kept.",
    413: "The body is larger than 256 KiB.",
    415: "The body is not application/json.",
    422: "The refund exceeds the refundable balance.",
    429: "Too many requests; see Retry-After.",
    500: "Failure on the service's side; nothing was changed.",
    503: "Temporarily unavailable; nothing was changed.",
}
_BY_STATUS: Final[Mapping[int, Refusal]] = {
    404: NotFound,
    408: RequestTimeout,
    413: PayloadTooLarge,
    415: UnsupportedMediaType,
    429: RateLimited,
    500: ServiceError,
    503: TemporarilyUnavailable,
}
"""What a status alone says. The others are said by a class, or follow from what the operation has."""
_SENT: Final[Mapping[str, tuple[Refusal, ...]]] = {
    "query": (InvalidParameter, MalformedRequest),
    "body": (InvalidJson, InvalidRequest, MalformedRequest),
}
_SHARED: Final[dict[str, tuple[Refusal, ...]]] = {}
_OF_WRITES: Final[dict[str, tuple[Refusal, ...]]] = {}
"""By credential, or by parameter: what every operation that takes it answers, and what those that change something."""


class DeclaredRefusal(OpenApiResponse):
    """A documented refusal: the shared error body, and the codes that may stand in it."""

    def __init__(self, status: int, codes: Iterable[str]) -> None:
        super().__init__(ERROR, description=_MEANINGS[status])
        self.codes = frozenset(codes)


def errors(*refusals: int | Refusal) -> dict[int, OpenApiResponse]:
    """The documented refusals of an operation: its own by their classes, those that many have by their status."""
    codes: dict[int, set[str]] = {}
    for one in refusals:
        status = one if isinstance(one, int) else one.http_status
        said = _BY_STATUS.get(one) if isinstance(one, int) else one
        codes.setdefault(status, set()).update([said.code] if said else [])
    return {status: DeclaredRefusal(status, found) for status, found in codes.items()}


def answered_with(name: str, *refusals: Refusal, where_it_writes: tuple[Refusal, ...] = ()) -> None:
    """Have every operation that takes this credential or parameter answer with these, too."""
    _SHARED[name], _OF_WRITES[name] = refusals, where_it_writes


def codes_of(operation: Mapping[str, Any], method: str, answers: Iterable[Any]) -> list[str]:
    """Every code that an operation may answer with, in alphabetical order. ``answers``: as they were declared."""
    found = {code for answer in answers for code in getattr(answer, "codes", ())}
    if "400" in operation["responses"]:
        found.update(one.code for sent in _sent(operation) for one in _SENT[sent])
    taken = {name for one in operation.get("security", ()) for name in one}
    taken.update(parameter["name"] for parameter in operation.get("parameters", ()))
    found.update(one.code for name in taken for one in _SHARED.get(name, ()))
    if method != "GET":
        found.update(one.code for name in taken for one in _OF_WRITES.get(name, ()))
    return sorted(found)


def _sent(operation: Mapping[str, Any]) -> Iterator[str]:
    if any(parameter["in"] == "query" for parameter in operation.get("parameters", ())):
        yield "query"
    if "415" in operation["responses"]:
        yield "body"
