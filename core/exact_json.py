"""Reads and writes JSON without losing a digit: numbers are ``int`` or ``Decimal``, never ``float``."""

import json
import re
from decimal import Decimal
from typing import Any

PLAIN_INTEGER_DIGITS = 18
"""Longer integers are read as ``Decimal``. Why: the fast writer knows only 64-bit integers."""


_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


class ExactDecoder(json.JSONDecoder):
    """Reads what this service wrote itself."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"parse_float": Decimal, "parse_int": integer, **options})


def integer(literal: str) -> int | Decimal:
    """The exact value of an integer literal."""
    return int(literal) if len(literal) <= PLAIN_INTEGER_DIGITS else Decimal(literal)


def is_deeper_than(text: str, most: int) -> bool:
    """Whether more containers stand inside each other, counted before anything recurses.

    Why not by the parser's own limit: libraries raise it for the whole process (py_ecc does), and then a deep text
    ends the process. Why the first test: most texts have few brackets, so they need no count.
    """
    if text.count("{") + text.count("[") <= most:
        return False
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > most:
            return True
    return False


class ExactEncoder(json.JSONEncoder):
    """Writes decimals as JSON numbers. Why the detour: the standard encoder only knows floats."""

    def encode(self, o: Any) -> str:
        """The value as JSON text. Raises: TypeError for a float, whose digits are not what anybody wrote."""
        return _written(o)


def _written(value: Any) -> str:
    match value:
        case Decimal():
            return str(value)
        case dict():
            return "{" + ",".join(f"{json.dumps(str(key))}:{_written(inner)}" for key, inner in value.items()) + "}"
        case list() | tuple():
            return "[" + ",".join(_written(inner) for inner in value) + "]"
        case None | bool() | int() | str():
            return json.dumps(value)
    raise TypeError(f"{type(value).__name__} cannot be written exactly")
