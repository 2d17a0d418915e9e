"""The headers of answers: which there are, on which answers each comes, and what is deprecated.

Every answer that a test gets is held to it: tests/contract/conformity.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from config.description.walk import Document, operations
from core import deprecations
from core.deprecations import Deprecation
from core.openapi import IDEMPOTENCY_KEY

_COUNT: Final = {"type": "integer", "minimum": 0}
HEADERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Request-Id": {
        "description": "The name of this request. Give it to support; the request log finds it.",
        "required": True,
        "schema": {"type": "string"},
        "example": "req_6b1f0c2d9e8a4f7b",
    },
    "RateLimit-Limit": {
        "description": "How many requests the nearest limit allows at once.",
        "schema": _COUNT,
        "example": 100,
    },
    "RateLimit-Remaining": {
        "description": "How many requests are left of it.",
        "schema": _COUNT,
        "example": 99,
    },
    "RateLimit-Reset": {
        "description": "Seconds until the whole limit is free again; with 429, until the next request is allowed.",
        "schema": _COUNT,
        "example": 0,
    },
    "Retry-After": {
        "description": "Seconds to wait before the same request is sent again.",
        "schema": _COUNT,
        "example": 2,
    },
    "Idempotent-Replayed": {
        "description": "`true` where this is the stored answer to an earlier request with the same `Idempotency-Key`.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    },
    "ETag": {
        "description": "The version of this answer. Send it back as `If-None-Match` to get 304 while nothing changes.",
        "required": True,
        "schema": {"type": "string"},
        "example": '"6f1ed002ab5595859014ebf0951522d9"',
    },
    "Link": {
        "description": 'The URL of the next page, as `<…>; rel="next"`; absent on the last page.',
        "schema": {"type": "string"},
        "example": '</api/public/v1/refunds?starting_after=018f3c1e-7d4b-7c2a-9b1e-5a6f7c8d9e0f>; rel="next"',
    },
}
"""Every header that the answers of operations are described with."""
OF_WHAT_ENDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Deprecation": {
        "description": "Since when what you use is deprecated, in seconds since 1970 after an `@` (RFC 9745).",
        "schema": {"type": "string", "pattern": "^@[0-9]+$"},
        "example": "@1798761600",
    },
    "Sunset": {
        "description": "When what you use ends, as an HTTP date (RFC 8594).",
        "schema": {"type": "string"},
        "example": "Sat, 01 Jan 2028 00:00:00 GMT",
    },
}
"""On the answers of what is deprecated."""
_COUNTED: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_SENT_AGAIN_LATER: Final = frozenset({"409", "429", "503"})


def with_headers(result: Document) -> None:
    """Each answer of each operation with its headers, as references to one table."""
    for operation in operations(result, "paths"):
        for status, answer in operation["responses"].items():
            answer["headers"] = {
                name: {"$ref": f"#/components/headers/{_component(name)}"} for name in headers_of(operation, status)
            }
    result["components"]["headers"] = {_component(name): dict(header) for name, header in HEADERS.items()}


def with_endings(result: Document) -> None:
    """Each row of ``core.deprecations`` in its place. Raises: LookupError for one that has none."""
    for row in deprecations.DEPRECATIONS:
        operation = result["paths"][row.path][row.method.lower()]
        place = _place(row, operation, result)
        place["deprecated"] = True
        place["description"] = f"{place.get('description', '')} {row.sentence}".strip()
        result["components"].setdefault("headers", {}).update({name: dict(one) for name, one in OF_WHAT_ENDS.items()})
        for answer in operation["responses"].values():
            references = {name: {"$ref": f"#/components/headers/{name}"} for name in OF_WHAT_ENDS}
            answer["headers"] = {**answer.get("headers", {}), **references}


def headers_of(operation: Mapping[str, Any], status: str) -> Iterator[str]:
    """The headers that an answer of an operation can carry."""
    answers, parameters = operation["responses"], {one["name"] for one in operation.get("parameters", ())}
    yield "Request-Id"
    yield from _COUNTED
    if status in _SENT_AGAIN_LATER:
        yield "Retry-After"
    if status.startswith("2") and IDEMPOTENCY_KEY in parameters:
        yield "Idempotent-Replayed"
    if status == "304" or (status == "200" and "304" in answers):
        yield "ETag"
    if status == "200" and "limit" in parameters:
        yield "Link"


def _component(name: str) -> str:
    return name.replace("-", "")


def _place(row: Deprecation, operation: dict[str, Any], document: Document) -> dict[str, Any]:
    place: dict[str, Any] = operation
    if row.parameter:
        place = next(one for one in operation["parameters"] if one["name"] == row.parameter)
    elif row.field:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        place = document["components"]["schemas"][reference.rpartition("/")[2]]["properties"][row.field]
    return place
