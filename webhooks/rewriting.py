"""What becomes of a body on its way to a check: JSON written anew in another manner, and how to undo that. Pure."""

import json
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import combinations
from typing import Any

import orjson

from core.exact_json import ExactDecoder, is_deeper_than

ENVELOPE = ("id", "type", "created_at", "data", "mode", "api_version", "sequence", "resource")
DEEPEST = 40
NO_JSON: Any = object()
"""What is read of a text that is no JSON, or not sensibly so."""


class Change(StrEnum):
    """What was done to the body on its way to the check; undoing it makes the signature match."""

    ENDS = "ends"
    LINE_BREAKS = "line_breaks"
    WHITESPACE = "whitespace"
    ESCAPES = "escapes"
    KEY_ORDER = "key_order"
    NUMBERS = "numbers"


def differing(received: Any, sent: Any, path: str = "") -> Iterator[str]:
    """The places at which two JSON values differ, as ``data.amount``; a value that is missing differs."""
    if isinstance(received, dict) and isinstance(sent, dict):
        for name in dict.fromkeys([*sent, *received]):
            yield from differing(received.get(name, NO_JSON), sent.get(name, NO_JSON), f"{path}.{name}".lstrip("."))
    elif received != sent:
        yield path[:80] or "the whole body"


def undone(body: bytes, stored: bytes | None) -> Iterator[tuple[tuple[Change, ...], bytes]]:
    """The body with changes undone: one of them, then two, and so on; each different result once.

    Why the order of keys last: putting it right undoes the others too, and would be named without need.
    """
    seen = {body}
    undo = _undoings(stored)
    simple = [change for change in undo if change is not Change.KEY_ORDER]
    ways = [chosen for count in range(len(simple) + 1) for chosen in combinations(simple, count)]
    for chosen in [*ways[1:], *((*way, Change.KEY_ORDER) for way in ways)]:
        restored = body
        for change in chosen:
            restored = undo[change](restored)
        if restored not in seen:
            seen.add(restored)
            yield _needed(body, chosen, undo), restored


def _needed(
    body: bytes, chosen: tuple[Change, ...], undo: dict[Change, Callable[[bytes], bytes]]
) -> tuple[Change, ...]:
    """Why more than what was chosen: putting keys in order writes the whole body anew, whitespace and escapes too."""
    if Change.KEY_ORDER not in chosen:
        return chosen
    also = [change for change in (Change.ENDS, Change.WHITESPACE, Change.ESCAPES) if undo[change](body) != body]
    return tuple(change for change in undo if change in {*chosen, *also})


def _undoings(stored: bytes | None) -> dict[Change, Callable[[bytes], bytes]]:
    return {
        Change.ENDS: lambda body: body.removeprefix(b"\xef\xbb\xbf").strip(),
        Change.LINE_BREAKS: lambda body: body.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
        Change.WHITESPACE: lambda body: _PARTS.sub(lambda part: part[1] or b"", body),
        Change.ESCAPES: lambda body: _STRINGS.sub(_plain_string, body),
        Change.KEY_ORDER: lambda body: _ordered(body, stored),
    }


_PARTS = re.compile(rb'("(?:[^"\\]|\\.)*")|\s+', re.DOTALL)
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def _plain_string(found: "re.Match[bytes]") -> bytes:
    """A JSON string as the service writes it: characters as themselves."""
    try:
        return orjson.dumps(orjson.loads(found[0]))
    except ValueError:
        return found[0]


def _ordered(body: bytes, stored: bytes | None) -> bytes:
    """The body with its keys in the order in which the service writes them: as sent, else as every event has them."""
    received, sent = read_json(body), read_json(stored) if stored else NO_JSON
    if not isinstance(received, dict):
        return body
    pattern = sent if isinstance(sent, dict) else dict.fromkeys(ENVELOPE)
    try:
        return orjson.dumps(_like(received, pattern), default=lambda number: orjson.Fragment(str(number)))
    except TypeError:  # half a character, which no service writes
        return body


def _like(received: Any, pattern: Any) -> Any:
    if not isinstance(received, dict) or not isinstance(pattern, dict):
        return received
    names = [*(name for name in pattern if name in received), *(name for name in received if name not in pattern)]
    return {name: _like(received[name], pattern.get(name)) for name in names}


def read_json(body: bytes) -> Any:
    """The JSON value with every digit as it was written; ``NO_JSON`` where it is none."""
    try:
        text = body.decode()
        return NO_JSON if is_deeper_than(text, DEEPEST) else json.loads(text, cls=ExactDecoder)
    except (ValueError, RecursionError):
        return NO_JSON
