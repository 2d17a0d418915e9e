"""Reads request bodies exactly: JSON numbers become ``Decimal``, and what is ambiguous is refused."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from core.errors import InvalidJson, PayloadTooLarge
from core.exact_json import integer, is_deeper_than

MAX_DEPTH = 32
"""Containers inside containers. Why so few: no body needs them, and every later walk may then recurse."""
MAX_DIGITS = 300
"""Digits and powers of ten in a number: far beyond money, and small enough to be written out anywhere."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_exactly(body: bytes) -> dict[str, Any]:
    """Read one JSON object. Raises: InvalidJson with ``details.reason``."""
    parsed = parse_with_any_text(body)
    if b"\\u" in body and (reason := unstorable(parsed)):  # only escapes can bring them in
        _refuse(reason)
    return parsed


def parse_with_any_text(body: bytes) -> dict[str, Any]:
    """Read one JSON object whose texts may be what ``unstorable`` finds: the caller looks. Raises: InvalidJson."""
    try:
        text = body.decode("utf-8")
        if is_deeper_than(text, MAX_DEPTH):
            _refuse("too_deep")
        parsed = json.loads(
            text,
            parse_int=_integer,
            parse_float=_decimal,
            parse_constant=lambda _: _refuse("not_a_number"),
            object_pairs_hook=_unique_keys,
        )
    except UnicodeDecodeError:
        _refuse("not_utf8")
    except ValueError:
        _refuse("not_json")
    if not isinstance(parsed, dict):
        _refuse("not_an_object")
    return parsed


def _refuse(reason: str) -> NoReturn:
    raise InvalidJson(details={"reason": reason})


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _refuse("duplicate_key")
    return found


def _integer(literal: str) -> int | Decimal:
    if len(literal) > MAX_DIGITS:
        _refuse("number_out_of_range")
    return integer(literal)


def _decimal(literal: str) -> Decimal:
    """The exact number. Why the exponent of a zero counts too: written out, 0e999999999 is a gigabyte."""
    mantissa, _, exponent = literal.lower().partition("e")
    if len(mantissa) > MAX_DIGITS or len(exponent.lstrip("+-").lstrip("0")) > len(str(MAX_DIGITS)):
        _refuse("number_out_of_range")
    number = Decimal(literal)
    smallest = number.as_tuple().exponent
    if not isinstance(smallest, int) or max(abs(smallest), abs(number.adjusted())) > MAX_DIGITS:
        _refuse("number_out_of_range")
    return number


def unstorable(parsed: object) -> str | None:
    """Why some text inside can be carried by no database column or no UTF-8 answer; None where all can."""
    waiting: list[Any] = [parsed]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if "\x00" in value:
                return "nul_character"
            if _LONE_SURROGATE.search(value):
                return "lone_surrogate"
        elif isinstance(value, dict):
            waiting.extend(value.values())
            waiting.extend(value)
        elif isinstance(value, list):
            waiting.extend(value)
    return None


class ExactJSONParser(BaseParser):
    """The API's only parser.

    Raises: PayloadTooLarge over ``MAX_BODY_BYTES``; InvalidJson.
    """

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Read and check the whole body."""
        limit: int = settings.MAX_BODY_BYTES
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise PayloadTooLarge
        return parse_exactly(body)
