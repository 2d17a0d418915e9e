"""What others wrote, kept apart from what this service says: cleaned, capped, and only under ``untrusted``.

Trusted is what the service made itself or recognises by its form: ids, statuses, figures, times, chains of its own
table, symbols of its committed token list, addresses and hashes. Everything else is somebody's text, and text can be
written to be obeyed. Source: docs/adr/0025.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chains.errors import InvalidAddress
from chains.registry import CHAINS, chain, is_tx_hash
from core.renderers import to_json
from core.shapes import Field, Kind, fields_of
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


@dataclass(frozen=True, kw_only=True)
class Narrowed:
    """What tools show of a shape: fields that may be believed, of which some texts are checked, and what others wrote.

    What it hides is in none of them.
    """

    believed: Mapping[str, Field]
    checked: Mapping[str, Check]
    others_wrote: tuple[str, ...]

    @property
    def numbers(self) -> list[str]:
        """The fields that are JSON numbers for REST, and decimal strings for agents."""
        return [name for name, field in self.believed.items() if field.kind is Kind.NUMBER]


def narrowed(shape: Any, *, hidden: Collection[str] = (), first: tuple[str, ...] = ()) -> Narrowed:
    """A shape as tools show it. ``first``: which texts are checked before the others, which go by the shape's order."""
    fields = {name: field for name, field in fields_of(shape).items() if name not in hidden}
    believed = {name: field for name, field in fields.items() if not field.by_others}
    checked = {name: _CHECKS[field.kind] for name, field in believed.items() if field.kind in _CHECKS}
    return Narrowed(
        believed=believed,
        checked={name: checked[name] for name in (*first, *checked)},
        others_wrote=tuple(name for name in fields if name not in believed),
    )


def set_apart(body: Mapping[str, Any], rules: Narrowed) -> tuple[dict[str, Any], dict[str, Any]]:
    """A body as what may be believed, where a text that fails its check is null, and what others wrote, cleaned."""
    believed = {name: body[name] for name in rules.believed}
    written = {name: body[name] for name in rules.others_wrote if body[name] not in (None, "", {})}
    apart: dict[str, Any] = {
        name: cleaned_object(value) if isinstance(value, Mapping) else cleaned(_as_text(value))
        for name, value in written.items()
    }
    for name, is_ours in rules.checked.items():
        text = body[name]
        if text is not None and not is_ours(text):
            believed[name] = None
            apart[name] = cleaned(text)
    return believed, apart


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value).decode()


_CHECKS: Final[Mapping[Kind | None, Check]] = {
    Kind.CHAIN: is_known_chain,
    Kind.SYMBOL: is_known_symbol,
    Kind.ADDRESS: is_address,
    Kind.TX_HASH: is_tx_hash,
    Kind.CODE: is_code,
}
_ONE_PER_FAMILY = {entry.family: entry for entry in reversed(CHAINS)}


def _is_address_on(known: Any, text: str) -> bool:
    from chains.addresses import parse_address  # noqa: PLC0415  (slow import)

    try:
        parse_address(known, text)
    except InvalidAddress:
        return False
    return True
