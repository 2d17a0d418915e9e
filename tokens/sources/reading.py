"""Reads the fields of a source's answer. What does not have exactly the expected form is malformed, never repaired.

Why so strict: a source lists what strangers deployed, and their names end up on payers' pages.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import Chain
from core.outbound.providers import ProviderAnswer

LONGEST_SYMBOL, LONGEST_NAME, LONGEST_ADDRESS = 32, 128, 64
MOST_DECIMALS = 36
LOWEST_PRICE, HIGHEST_PRICE = Decimal("1E-12"), Decimal("1E9")
"""Dollars for one whole token. Why: a price outside would be rounded away, or is a mistake in decimals."""
LONGEST_AGE_SECONDS = 86_400
_NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{1,40})?([eE]-?[0-9]{1,2})?")


class Malformed(ValueError):
    """A field that does not have the form its source documents."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedToken:
    """What one source says about one token. ``is_flagged``: the source warns of it."""

    source: str
    chain: str
    address: str
    symbol: str
    name: str
    decimals: int
    is_vouched: bool
    is_flagged: bool = False


@dataclass(kw_only=True, slots=True)
class Listing:
    """One source's list: the rows that could be read, how many could not, and what did not answer at all."""

    source: str
    tokens: list[ListedToken] = field(default_factory=list)
    malformed: int = 0
    silent_about: set[str] = field(default_factory=set)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportedPrice:
    """What one source says that one whole token costs, and when that was so."""

    source: str
    price_usd: Decimal
    priced_at: datetime


def read_address(chain: Chain, value: Any) -> str:
    """The stored spelling of an address, of the native coin too. Raises: Malformed."""
    if not isinstance(value, str) or len(value) > LONGEST_ADDRESS:
        raise Malformed("address")
    if value.lower() in chain.native_spellings:
        return chain.native_address
    try:
        return parse_address(chain, value)
    except InvalidAddress as error:
        raise Malformed("address") from error


def read_text(value: Any, longest: int) -> str:
    """A text that people can see: no control, format or unassigned characters. Raises: Malformed."""
    text = value.strip(" ") if isinstance(value, str) else ""
    if not 0 < len(text) <= longest or not text.isprintable():
        raise Malformed("text")
    return text


def read_decimals(value: Any) -> int:
    """Decimals of a token. Raises: Malformed."""
    if type(value) is not int or not 0 <= value <= MOST_DECIMALS:
        raise Malformed("decimals")
    return value


def read_price(value: Any) -> Decimal:
    """An exact price within sane bounds, from a JSON number or a decimal text. Raises: Malformed."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = Decimal(value)
    if type(value) not in {int, Decimal} or not LOWEST_PRICE <= value <= HIGHEST_PRICE:
        raise Malformed("price")
    return Decimal(value)


def read_rows(value: Any) -> list[dict[str, Any]]:
    """The objects of an array. Raises: Malformed unless it is one; other things inside are left out."""
    if not isinstance(value, list):
        raise Malformed("rows")
    return [row if isinstance(row, dict) else {} for row in value]


def asked_at(answer: ProviderAnswer, moment: datetime) -> datetime:
    """When an answer was true: when it was asked for, less the age that a cache on the way admits."""
    text = answer.headers.get("age", "")
    age = int(text) if text.isascii() and text.isdigit() and len(text) < len(str(LONGEST_AGE_SECONDS)) + 1 else 0
    return moment - timedelta(seconds=min(age, LONGEST_AGE_SECONDS))


def in_groups(addresses: Iterable[str], size: int) -> list[list[str]]:
    """The same in groups that one question may hold."""
    every = list(addresses)
    return [every[start : start + size] for start in range(0, len(every), size)]
