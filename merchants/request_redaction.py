"""What the request log may repeat of a request: only what is listed here, and only where it looks as it should. Pure.

Everything else is known by its kind and length alone, and names that the API does not know are counted. Why by a list
of what is allowed: a field that somebody adds later, or sends by mistake, must not carry a secret or a customer's words
into a table that people read.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode

from core.ids import parse_public_id
from core.renderers import to_json
from merchants.models.requests import BODY_LENGTH, PATH_LENGTH, QUERY_LENGTH

Looks = Callable[[Any], bool]
_MOST_WORDS = 40
_MOST_DIGITS = 20
_NUMBERS = (int, Decimal)


def _matches(pattern: str) -> Looks:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and parse_public_id(value, "pi_") is not None


_WORD = _matches(r"\*|[a-z][a-z_]{0,23}(\.[a-z_]{1,23}|\.\*)?")
_WORDS = _matches(r"([a-z_]{1,24}|[1-5](xx|\d\d))(,([a-z_]{1,24}|[1-5](xx|\d\d))){0,11}")
"""Statuses of resources, or of answers."""
_SYMBOL = _matches(r"[A-Za-z0-9.]{1,12}")
_TIME = _matches(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?")
_COUNT = _matches(r"\d{1,6}")
_PARAMETER, _BRACED = re.compile(r"<(?:[^:>]*:)?([^>]*)>"), r"{\1}"

BODY: Final[Mapping[str, Looks]] = {
    **dict.fromkeys(
        ("amount", "amount_usd", "expires_in_seconds", "seconds"),
        lambda value: type(value) in _NUMBERS and len(str(value)) <= _MOST_DIGITS,
    ),
    **dict.fromkeys(("currency", "settlement_token"), _SYMBOL),
    **dict.fromkeys(("settlement_chain", "scenario", "type"), _WORD),
    "intent_id": _is_id,
    "events": lambda value: isinstance(value, list) and len(value) <= _MOST_WORDS and all(map(_WORD, value)),
    "enabled": lambda value: isinstance(value, bool),
    "since": _TIME,
}
"""Fields of bodies that stand in clear, each with what it must look like."""
HIDDEN: Final = frozenset(
    {
        "customer_email",
        "metadata",
        "reference",
        "return_url",
        "settlement_address",
        "destination",
        "reason",
        "url",
        "data",
    }
)
"""Other fields that the API knows: their names stand there, their values never."""
QUERY: Final[Mapping[str, Looks]] = {
    **dict.fromkeys(("limit", "wait"), _COUNT),
    "status": _WORDS,
    **dict.fromkeys(("starting_after", "ending_before", "payment_intent_id"), _is_id),
    **dict.fromkeys(("created_gte", "created_lt"), _TIME),
}
HIDDEN_QUERY: Final = frozenset({"reference", "customer_email", "q", "metadata"})


def shown_body(body: Any) -> str:
    """A request's body as the log keeps it: JSON, empty where there was none."""
    if not isinstance(body, dict) or not body:
        return ""
    kept: dict[str, Any] = {
        name: value if name in BODY and BODY[name](value) else outline(value)
        for name, value in body.items()
        if name in BODY or name in HIDDEN
    }
    if strangers := len(body) - len(kept):
        kept["[other fields]"] = strangers
    text = to_json(kept).decode()
    return text if len(text) <= BODY_LENGTH else to_json({"[too long]": len(text)}).decode()


def shown_query(query: Mapping[str, str]) -> str:
    """A request's query as the log keeps it."""
    kept: dict[str, str] = {}
    strangers = 0
    for name, value in query.items():
        bare = name.partition("[")[0]
        if bare in QUERY and QUERY[bare](value):
            kept[name] = value
        elif bare in QUERY or bare in HIDDEN_QUERY:
            kept[bare] = "..."
        else:
            strangers += 1
    if strangers:
        kept["..."] = str(strangers)
    return urlencode(kept, safe=",:")[:QUERY_LENGTH]


def shown_path(path: str, route: str, words: Mapping[str, str]) -> str:
    """A request's path; as its pattern where a word in it is no id, since a key may have been pasted there."""
    if all(_is_id(word) for word in words.values()):
        return path[:PATH_LENGTH]
    return f"/{_PARAMETER.sub(_BRACED, route)}"[:PATH_LENGTH]


def outline(value: Any) -> str | None:
    """The kind of a value and how long it is."""
    if value is None:
        return None
    if isinstance(value, str):
        return f"[text, {len(value)} characters]"
    if isinstance(value, dict):
        return f"[object, {len(value)} keys]"
    if isinstance(value, list):
        return f"[list, {len(value)} items]"
    return "[number]" if not isinstance(value, bool) else "[true or false]"
