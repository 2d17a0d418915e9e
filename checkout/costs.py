"""What a payer reads before it signs: its tokens, the routes that were weighed, and the terms of a quote."""

from collections.abc import Mapping, Sequence
from typing import Any

from chains.registry import chain
from checkout.words.reasons import provider_words, reason_words
from core.money import to_decimal_string
from payments.models import Leg, PaymentAttempt
from payments.services.terms import terms_of


def token_body(stored: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the payer's list of tokens, with its reason as a code and in the payer's words."""
    why = stored.get("why") or {}
    shown = {name: value for name, value in stored.items() if name != "why"}
    return {**shown, "reason_code": why.get("code"), "reason": _words(why) or stored.get("reason", "")}


def route_body(route: Mapping[str, Any]) -> dict[str, Any]:
    """A route that was weighed, as it was kept with the quote. Without figures where it does not work."""
    shown = {name: value for name, value in route.items() if name != "why"}
    return {
        **shown,
        "provider_name": provider_words(route["provider"]),
        "works": route["cost_usd"] is not None,
        "reason_code": route["why"]["code"],
        "reason": _words(route["why"]),
    }


def route_words(routes: Sequence[Mapping[str, Any]], parts: int) -> str:
    """Why the payer is offered this way, in one sentence; empty where nobody knows."""
    if parts > 1:
        return reason_words("together", {"count": str(parts)})
    return next((_words(route["why"]) for route in routes if route["chosen"]), "")


def terms_body(attempt: PaymentAttempt, legs: Sequence[Leg]) -> dict[str, Any]:
    """What the page gives back when the payer agrees: the terms that stood on the screen."""
    terms = terms_of(attempt, legs)
    return {
        "pay_base_units": [str(units) for units in terms.pay_base_units],
        "fee_usd": to_decimal_string(terms.fee_usd),
        "gas_usd": to_decimal_string(terms.gas_usd),
        "due_base_units": str(terms.due_base_units),
    }


def _words(why: Mapping[str, Any]) -> str:
    facts = why.get("facts", {})
    known = chain(facts.get("chain", ""))
    spoken = {**facts, "chain": known.display_name} if known is not None else facts
    return reason_words(why.get("code", ""), spoken)
