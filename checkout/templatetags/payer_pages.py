"""What the payer's pages draw by language: links to the others, and figures as ``Intl`` writes them on the client."""

from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

import orjson
from django import template
from django.utils.formats import date_format
from django.utils.translation import gettext

from checkout.words.page import LATER_NAMES
from core.language import Language, language_choices, language_now
from core.money import to_decimal_string

register = template.Library()
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


@register.filter
def figure(amount: str | Decimal | orjson.Fragment) -> str:
    """An amount with two decimals, without its currency. Why fragments: so a state holds exact numbers for JSON."""
    exact = orjson.dumps(amount).decode() if isinstance(amount, orjson.Fragment) else amount
    written = FIGURES[language_now().code]
    whole, cents = f"{Decimal(exact).quantize(CENT, rounding=ROUND_HALF_UP):f}".split(".")
    grouped = f"{int(whole):,}" if len(whole) >= written.grouped_from else whole
    return grouped.replace(",", written.group) + written.point + cents


@register.filter
def quantity(amount: Decimal) -> str:
    """A quantity of tokens with every digit that it has, two decimals at least."""
    written = FIGURES[language_now().code]
    whole, decimals = to_decimal_string(amount).split(".")
    grouped = f"{int(whole):,}" if len(whole) >= written.grouped_from else whole
    return grouped.replace(",", written.group) + written.point + decimals


@register.filter
def usd(amount: str | Decimal | orjson.Fragment) -> str:
    """An amount of dollars."""
    return FIGURES[language_now().code].dollars.format(figure(amount))


@register.filter
def moment(instant: str | datetime) -> str:
    """A moment in the order of the language, in UTC: without scripts nobody knows the payer's clock."""
    at = datetime.fromisoformat(instant) if isinstance(instant, str) else instant
    return f"{date_format(at, 'DATETIME_FORMAT')} UTC"


@register.filter
def chain_name(name: str) -> str:
    """What people call a chain."""
    return "BNB Chain" if name == "bnb" else name.capitalize()


@register.filter
def status_name(status: str) -> str:
    """What a payer calls the status of a transaction."""
    return gettext(LATER_NAMES[status]) if status in LATER_NAMES else status


@register.simple_tag
def payers_language() -> Language:
    """The language a page is drawn in."""
    return language_now()


@register.inclusion_tag("checkout/languages.html", takes_context=True)
def language_links(context: dict[str, Any]) -> dict[str, Any]:
    """The page in its other languages: links, so that they work without scripts."""
    return {"languages": language_choices(context["request"])}
