"""What others wrote, kept apart from what this service says: cleaned, capped, and only under ``untrusted``.

Trusted is what the service made itself or recognises by its form: ids, statuses, figures, times, chains of its own
table, symbols of its committed token list, addresses and hashes. Everything else is somebody's text, and text can be
written to be obeyed. Source: docs/adr/0025.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from chains.errors import InvalidAddress
from chains.registry import CHAINS, chain
from core.renderers import to_json
from mcp.visible import visible_line
from tokens.selectors import committed_symbols

MAX_TEXT = 500
"""Characters of one text."""
MAX_KEYS = 20
MAX_KEY = 64
CUT = "…"
_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}")

Check = Callable[[str], bool]
"""Whether a text is of a kind that the service vouches for."""


def cleaned(text: str, most: int = MAX_TEXT) -> str:
    """The text without anything that cannot be seen, on one line, cut to so many characters."""
    visible = visible_line(text[: 8 * most])
    return visible if len(visible) <= most else visible[: most - len(CUT)] + CUT


def cleaned_object(given: Mapping[str, Any]) -> dict[str, str]:
    """The first keys of a free-form object, each with its value as a text; what is no text is shown as its JSON."""
    first = list(given.items())[:MAX_KEYS]
    return {cleaned(key, MAX_KEY): cleaned(_as_text(value)) for key, value in first}


def is_known_chain(text: str) -> bool:
    """A chain of the service's own table, by its own name. Why not any: test mode accepts whatever is written."""
    known = chain(text)
    return known is not None and known.name == text


def is_known_symbol(text: str) -> bool:
    """A symbol of the committed list of tokens."""
    return text.upper() in committed_symbols()


def is_address(text: str) -> bool:
    """An address in the form of some chain family, checksum included; or none yet."""
    return not text or any(_is_address_on(name, text) for name in _ONE_PER_FAMILY.values())


def is_code(text: str) -> bool:
    """A word of the service's own: columns of codes are written by it alone."""
    return _CODE.fullmatch(text) is not None


def set_apart(
    body: Mapping[str, Any], checks: Mapping[str, Check], always: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A body as what may be believed, and what others wrote, cleaned.

    A text that fails its check is null in the first; the fields of ``always`` are not in it at all.
    """
    believed = {name: value for name, value in body.items() if name not in always}
    written = {name: body[name] for name in always if body[name] not in (None, "", {})}
    apart: dict[str, Any] = {
        name: cleaned_object(value) if isinstance(value, Mapping) else cleaned(_as_text(value))
        for name, value in written.items()
    }
    for name, is_ours in checks.items():
        text = body[name]
        if text is not None and not is_ours(text):
            believed[name] = None
            apart[name] = cleaned(text)
    return believed, apart


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value).decode()


_ONE_PER_FAMILY = {entry.family: entry for entry in reversed(CHAINS)}


def _is_address_on(known: Any, text: str) -> bool:
    from chains.addresses import parse_address  # noqa: PLC0415  (slow import)

    try:
        parse_address(known, text)
    except InvalidAddress:
        return False
    return True
