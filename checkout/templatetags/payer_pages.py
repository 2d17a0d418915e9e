"""What the payer's pages draw by language: links to the others, figures, moments and names."""

from datetime import datetime
from typing import Any

from django import template
from django.utils.formats import date_format
from django.utils.translation import gettext

from checkout.words.figures import figure, quantity, usd
from checkout.words.page import LATER_NAMES
from core.language import Language, language_choices, language_now

register = template.Library()
for written in (figure, quantity, usd):
    register.filter(written)


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
