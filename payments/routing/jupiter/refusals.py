"""What Jupiter says when it cannot serve, in this service's words: one table.

Source: docs/routing.md, Jupiter; https://github.com/jup-ag/docs, swap/common-errors.
"""

import re
from collections.abc import Mapping
from typing import Any

from chains.instructions.refusal import Refusal
from core.outbound.providers import ProviderAnswer
from payments.routing.gates import Gate, OfferError

LONGEST_RAW = 2_000
"""Characters of an answer that are kept beside a candidate."""

BY_STATUS: dict[int, str] = {
    400: OfferError.NO_ROUTE,
    401: OfferError.PROVIDER_MISCONFIGURED,
    403: OfferError.PROVIDER_MISCONFIGURED,
    404: OfferError.PROVIDER_MISCONFIGURED,
    408: OfferError.PROVIDER_UNAVAILABLE,
    422: OfferError.PROVIDER_MISCONFIGURED,
    429: OfferError.RATE_LIMITED,
}
"""401 is a wrong key, 403 a missing permission or the firewall, 429 a limit; 500 and above never get here."""

BY_WORD: dict[str, str] = {
    "NO_ROUTES_FOUND": OfferError.NO_ROUTE,
    "COULD_NOT_FIND_ANY_ROUTE": OfferError.NO_ROUTE,
    "TOKEN_NOT_TRADABLE": OfferError.NO_ROUTE,
    "MARKET_NOT_FOUND": OfferError.NO_ROUTE,
    "CIRCULAR_ARBITRAGE_IS_DISABLED": OfferError.SAME_TOKEN,
    "ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT": OfferError.INSUFFICIENT_LIQUIDITY,
    "ZODERROR": OfferError.PROVIDER_MISCONFIGURED,
}
"""API strings, however they are written: as ``errorCode``, or as a sentence in ``error``. ZodError is our own fault."""

BY_ROUTER_CODE: dict[tuple[str, int], str] = {
    ("aggregator", 1): Gate.BALANCE_TOO_LOW,
    ("aggregator", 2): Gate.GAS_TOO_LOW,
    ("aggregator", 3): OfferError.AMOUNT_TOO_LOW,
    ("jupiterz", 1): Gate.BALANCE_TOO_LOW,
    ("jupiterz", 2): OfferError.NO_ROUTE,
    ("jupiterz", 3): OfferError.TRANSACTION_NOT_BUILT,
}
"""``errorCode`` of an answer that quotes but holds no transaction. metis, dflow and okx are aggregators."""

BY_PROGRAM_CODE: dict[int, str] = {
    6001: OfferError.SLIPPAGE_TOO_HIGH,
    6008: Refusal.SIMULATION_FAILED,
    6014: OfferError.NO_ROUTE,
    6017: OfferError.SLIPPAGE_TOO_HIGH,
    6024: Gate.BALANCE_TOO_LOW,
    6025: OfferError.NO_ROUTE,
}
"""Errors of Jupiter's program in a simulation: slippage, keys, fee on Token-2022, exact out, funds, token account."""


def refusal_of(answer: ProviderAnswer) -> str | None:
    """The code of a refusal; None for an answer that may be an offer."""
    body = answer.body if isinstance(answer.body, Mapping) else {}
    if not answer.is_success:
        return _code_named(body) or BY_STATUS.get(answer.status, OfferError.PROVIDER_UNAVAILABLE)
    if body.get("errorCode") is None and body.get("error") is None:
        return None
    return _router_code(body) or _code_named(body) or OfferError.NO_ROUTE


def program_refusal(code: int | None) -> str:
    """The code for a simulation that the swap program stopped with this number."""
    return BY_PROGRAM_CODE.get(code or 0, Refusal.SIMULATION_FAILED)


def bounded(body: Any) -> str:
    """An answer as text, short enough to keep."""
    return repr(body)[:LONGEST_RAW]


def _router_code(body: Mapping[str, Any]) -> str | None:
    code = body.get("errorCode")
    if not isinstance(code, int) or isinstance(code, bool):
        return None
    router = "jupiterz" if body.get("router") == "jupiterz" else "aggregator"
    return BY_ROUTER_CODE.get((router, code))


def _code_named(body: Mapping[str, Any]) -> str | None:
    error = body.get("error")
    named = error.get("name") if isinstance(error, Mapping) else error
    # A sentence as a code: ``No routes found`` and ``NO_ROUTES_FOUND`` are the same word.
    texts = [text for text in (body.get("errorCode"), named, body.get("message")) if isinstance(text, str)]
    words = (re.sub(r"[^A-Z0-9]+", "_", text[:80].upper()).strip("_") for text in texts)
    return next((BY_WORD[word] for word in words if word in BY_WORD), None)
