"""What of the API ends, as the description says it: ``deprecated: true``, the dates, and the headers of the answers."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from config.description.walk import Document
from core import deprecations
from core.deprecations import Deprecation

HEADERS: Final[Mapping[str, Mapping[str, Any]]] = {
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


def with_endings(result: Document) -> None:
    """Each row of ``core.deprecations`` in its place. Raises: LookupError for one that has none."""
    for row in deprecations.DEPRECATIONS:
        operation = result["paths"][row.path][row.method.lower()]
        place = _place(row, operation, result)
        place["deprecated"] = True
        place["description"] = f"{place.get('description', '')} {row.sentence}".strip()
        for answer in operation["responses"].values():
            answer["headers"] = {**answer.get("headers", {}), **dict(_references(result))}


def _place(row: Deprecation, operation: dict[str, Any], document: Document) -> dict[str, Any]:
    place: dict[str, Any] = operation
    if row.parameter:
        place = next(one for one in operation["parameters"] if one["name"] == row.parameter)
    elif row.field:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        place = document["components"]["schemas"][reference.rpartition("/")[2]]["properties"][row.field]
    return place


def _references(document: Document) -> Iterator[tuple[str, dict[str, str]]]:
    for name, header in HEADERS.items():
        document["components"].setdefault("headers", {})[name] = dict(header)
        yield name, {"$ref": f"#/components/headers/{name}"}
