"""Money as distinct types: dollars are ``UsdAmount`` (exact decimals), token quantities ``BaseUnits`` (integers).

mypy rejects mixing them. Binary floats never appear; every rounding is named where it happens.
"""

from decimal import ROUND_UP, Context, Decimal, Inexact, InvalidOperation
from functools import lru_cache
from typing import NewType

import orjson

UsdAmount = NewType("UsdAmount", Decimal)
BaseUnits = NewType("BaseUnits", int)

MICROS_PER_DOLLAR = 1_000_000
ZERO_USD = UsdAmount(Decimal("0"))
_EXACT = Context(prec=120, traps=[Inexact, InvalidOperation])
"""Raises instead of dropping a digit."""
_ROUNDING = Context(prec=120, traps=[InvalidOperation])
"""For the functions whose name says that they round."""


def usd(text: str) -> UsdAmount:
    """Dollars from a decimal literal."""
    return UsdAmount(Decimal(text))


def usd_from_micros(micros: int) -> UsdAmount:
    """Dollars from whole micro-dollars, exactly."""
    return UsdAmount(Decimal(micros).scaleb(-6, _EXACT))


def usd_to_micros(amount: Decimal) -> int:
    """Whole micro-dollars of an amount that has at most six decimals.

    Raises: ValueError if it has more, because rounding must be chosen by the caller.
    """
    micros = amount.scaleb(6, _EXACT)
    if micros != micros.to_integral_value():
        raise ValueError(f"{amount} has more than six decimals")
    return int(micros)


def round_usd_up(amount: Decimal) -> UsdAmount:
    """Raise to micro-dollars, away from zero: for what somebody is shown to pay."""
    return UsdAmount(amount.quantize(Decimal("0.000001"), rounding=ROUND_UP, context=_ROUNDING))


def from_base_units(units: BaseUnits, decimals: int) -> Decimal:
    """The exact token quantity of so many base units."""
    return Decimal(units).scaleb(-decimals, _EXACT)


@lru_cache(maxsize=4096)
def to_decimal_string(amount: Decimal, places: int = 2) -> str:
    """A plain decimal string with at least ``places`` decimals and no exponent: ``25`` becomes ``25.00``.

    Why: a merchant compares strings; further decimals are kept so that no value is changed by writing it.
    Why kept: an answer holds the same few amounts ten times over, and equal ones are written alike.
    """
    text = f"{amount or abs(amount):f}"  # zero has no sign
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0").ljust(places, "0")
    return f"{whole}.{fraction}" if fraction else whole


def optional_decimal_string(amount: Decimal | None) -> str | None:
    """The same for an amount that may not be known yet."""
    return None if amount is None else to_decimal_string(amount)


def json_number(amount: Decimal) -> orjson.Fragment:
    """The amount as an exact JSON number. Why: a float would change the digits."""
    return orjson.Fragment(to_decimal_string(amount))
