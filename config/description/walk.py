"""Walks through a finished description."""

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]


def operations(document: Document, *sections: str) -> Iterator[dict[str, Any]]:
    """Every operation of a description, and every event that it sends."""
    for section in sections or ("paths", "webhooks"):
        for item in document.get(section, {}).values():
            yield from (operation for operation in item.values() if isinstance(operation, dict))
