"""Every route that the service answers, read from the URL resolver: nothing is listed by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PAGE_METHODS = frozenset({"GET", "POST"})
"""What is asked of pages: which of the two they answer is their own affair."""


@dataclass(frozen=True, order=True)
class Route:
    """A path of the resolver, and the methods that its view answers."""

    path: str
    methods: frozenset[str]
    speaks_json: bool

    def filled(self, ids: dict[str, str]) -> str:
        """The path with ids in place of its parameters."""
        return filled(self.path, ids)


def filled(path: str, ids: dict[str, str]) -> str:
    """A path of the resolver with ids in place of its parameters, whatever their converter."""
    parts = [ids[_parameter(part)] if part.startswith("<") else part for part in path.split("/")]
    return "/".join(parts)


def served_routes() -> list[Route]:
    return sorted(_walk(get_resolver().url_patterns, "/"))


def api_routes() -> list[Route]:
    return [route for route in served_routes() if route.speaks_json]


def _walk(patterns: list[Any], before: str) -> Iterator[Route]:
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            view = getattr(pattern.callback, "cls", None)
            yield Route(path, PAGE_METHODS if view is None else _answered(pattern.callback, view), view is not None)


def _answered(callback: Any, view: type) -> frozenset[str]:
    actions = getattr(callback, "actions", None)
    return frozenset(method for method in METHODS if method.lower() in (actions or dir(view)))


def _parameter(part: str) -> str:
    return part.strip("<>").rpartition(":")[2]
