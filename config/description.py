"""What the generated description gains as a whole, after its operations and components are put together."""

from collections.abc import Iterator
from typing import Any

from payments.explanation.lines import Actor
from payments.explanation.situations import Situation

SITUATIONS = [one.value for one in Situation]
ACTORS = [one.value for one in Actor]

Document = dict[str, Any]


def operations(document: Document) -> Iterator[dict[str, Any]]:
    """Every operation and every event of a description."""
    for section in ("paths", "webhooks"):
        for item in document.get(section, {}).values():
            yield from (operation for operation in item.values() if isinstance(operation, dict))


def without_null_component(result: Document, generator: Any, **_options: Any) -> Document:
    """A null in place of a component for it. Why: clients would be generated with a class named after nothing."""
    if result["components"].get("schemas", {}).pop("NullEnum", None):
        _null_in_place(result)
    return result


def _null_in_place(node: Any) -> None:
    if isinstance(node, dict):
        if node.get("$ref") == "#/components/schemas/NullEnum":
            del node["$ref"]
            node["type"] = "null"
        for inner in node.values():
            _null_in_place(inner)
    elif isinstance(node, list):
        for inner in node:
            _null_in_place(inner)


def open_to_all(result: Document, generator: Any, **_options: Any) -> Document:
    """Says of operations that take no credential that they take none; an absent list would be read as forgotten."""
    for operation in operations(result):
        operation.setdefault("security", [])
    return result
