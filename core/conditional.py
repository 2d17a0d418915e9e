"""Answers that a poller need not read twice: an ETag over the body, and 304 to whoever has it already."""

import hashlib
from collections.abc import Callable, Mapping, Set
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from core.renderers import to_json


def entity_tag(body: Mapping[str, Any], no_news: Set[str] = frozenset()) -> str:
    """An ETag over what matters: keys that change without saying anything new are left out."""
    kept = {name: value for name, value in body.items() if name not in no_news}
    return f'"{hashlib.sha256(to_json(kept)).hexdigest()[:32]}"'


def unless_unchanged(
    request: Request,
    body: Mapping[str, Any],
    no_news: Set[str] = frozenset(),
    marked: Callable[[str], str] = lambda tag: tag,
) -> Response:
    """The body under its ETag, or 304 if the caller has it already. No cache between the two may keep it.

    ``marked`` adds to the tag, behind a point, what is not compared here.
    """
    tag, sent = entity_tag(body, no_news)[1:-1], request.META.get("HTTP_IF_NONE_MATCH", "")
    headers = {"ETag": f'"{marked(tag)}"', "Cache-Control": "no-store"}
    if f'"{tag}"' in sent or f'"{tag}.' in sent:
        return Response(status=304, headers=headers)
    return Response(body, headers=headers)
