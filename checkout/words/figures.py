"""Figures as each language writes them, and as ``Intl`` writes them on the client."""

from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

import orjson

from core.language import language_now
from core.money import to_decimal_string

CENT = Decimal("0.01")


class Figures(NamedTuple):
    """How a language writes dollars. ``grouped_from`` is how many digits a whole needs before it is grouped."""

    dollars: str
    group: str
    point: str
    grouped_from: int = 4


FIGURES = {
    "en": Figures("${}", ",", "."),
    "de": Figures("{}\xa0$", ".", ","),
    "es": Figures("{}\xa0US$", ".", ",", 5),
    "fr": Figures("{}\xa0$US", "\u202f", ","),
    "pt-br": Figures("US$\xa0{}", ".", ","),
    "ar": Figures("\u2066{}\xa0US$\u2069", ",", "."),
}
"""Source: https://cldr.unicode.org, by Babel (a test compares them). Arabic alone differs: isolated, or the sign would
jump to the front."""


def figure(amount: str | Decimal | orjson.Fragment) -> str:
    """An amount with two decimals, without its currency. Why fragments: so a state holds exact numbers for JSON."""
    exact = orjson.dumps(amount).decode() if isinstance(amount, orjson.Fragment) else amount
    written = FIGURES[language_now().code]
    whole, cents = f"{Decimal(exact).quantize(CENT, rounding=ROUND_HALF_UP):f}".split(".")
    grouped = f"{int(whole):,}" if len(whole) >= written.grouped_from else whole
    return grouped.replace(",", written.group) + written.point + cents


def quantity(amount: Decimal) -> str:
    """A quantity of tokens with every digit that it has, two decimals at least."""
    written = FIGURES[language_now().code]
    whole, decimals = to_decimal_string(amount).split(".")
    grouped = f"{int(whole):,}" if len(whole) >= written.grouped_from else whole
    return grouped.replace(",", written.group) + written.point + decimals


def usd(amount: str | Decimal | orjson.Fragment) -> str:
    """An amount of dollars."""
    return FIGURES[language_now().code].dollars.format(figure(amount))
