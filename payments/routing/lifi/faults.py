"""Why LI.FI has no quote: one table for everything that it says by itself.

Source: docs/routing.md, LI.FI.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.outbound.providers import ProviderAnswer
from payments.routing.gates import OfferError


class LifiRefused(Exception):
    """This answer does not serve. ``retryable`` says whether asking again at once may help."""

    def __init__(self, code: str, *, retryable: bool = False) -> None:
        self.code, self.retryable = code, retryable
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a provider's word means to us."""

    code: str
    retryable: bool = False


_MISCONFIGURED = Meaning(OfferError.PROVIDER_MISCONFIGURED)
_UNAVAILABLE = Meaning(OfferError.PROVIDER_UNAVAILABLE, retryable=True)
_NO_ROUTE = Meaning(OfferError.NO_ROUTE)
_RATE_LIMITED = Meaning(OfferError.RATE_LIMITED)
_NOT_BUILT = Meaning(OfferError.TRANSACTION_NOT_BUILT)
_SLIPPAGE = Meaning(OfferError.SLIPPAGE_TOO_HIGH, retryable=True)
_ILLIQUID = Meaning(OfferError.INSUFFICIENT_LIQUIDITY)
_FEES = Meaning(OfferError.FEES_ABOVE_AMOUNT)

TOOL_ERRORS: Mapping[str, Meaning] = {
    "NO_POSSIBLE_ROUTE": _NO_ROUTE,
    "INSUFFICIENT_LIQUIDITY": _ILLIQUID,
    "TOOL_TIMEOUT": _UNAVAILABLE,
    "UNKNOWN_ERROR": _UNAVAILABLE,
    "RPC_ERROR": _UNAVAILABLE,
    "AMOUNT_TOO_LOW": Meaning(OfferError.AMOUNT_TOO_LOW),
    "AMOUNT_TOO_HIGH": Meaning(OfferError.AMOUNT_TOO_HIGH),
    "FEES_HIGHER_THAN_AMOUNT": _FEES,
    "DIFFERENT_RECIPIENT_NOT_SUPPORTED": Meaning(OfferError.RECIPIENT_NOT_SUPPORTED),
    "TOOL_SPECIFIC_ERROR": _UNAVAILABLE,
    "CANNOT_GUARANTEE_MIN_AMOUNT": _SLIPPAGE,
}
"""By a ToolError's code: why one bridge or exchange had no quote."""

_MOST_TELLING = (
    *("AMOUNT_TOO_LOW", "FEES_HIGHER_THAN_AMOUNT", "AMOUNT_TOO_HIGH", "INSUFFICIENT_LIQUIDITY"),
    *("CANNOT_GUARANTEE_MIN_AMOUNT", "DIFFERENT_RECIPIENT_NOT_SUPPORTED", "TOOL_TIMEOUT", "RPC_ERROR"),
    *("TOOL_SPECIFIC_ERROR", "UNKNOWN_ERROR", "NO_POSSIBLE_ROUTE"),
)
"""Which of several tools' errors is shown: what the payer can do something about comes first."""

BODY_CODES: Mapping[int, Meaning] = {
    1000: _UNAVAILABLE,
    1001: _NOT_BUILT,
    1002: _NO_ROUTE,
    1003: _NO_ROUTE,
    1004: _NO_ROUTE,
    1005: _RATE_LIMITED,
    1006: _UNAVAILABLE,
    1007: _SLIPPAGE,
    1008: _UNAVAILABLE,
    1009: _UNAVAILABLE,
    1010: _MISCONFIGURED,
    1011: _MISCONFIGURED,
    1012: _UNAVAILABLE,
    1013: _MISCONFIGURED,
}
"""By the body's ``code``: default, not built, no quote, not found, not processable, rate limit, server, slippage,
third party, time-out, unauthorised, validation, RPC, malformed schema."""

STATUSES: Mapping[int, Meaning] = {
    400: _MISCONFIGURED,
    401: _MISCONFIGURED,
    403: _MISCONFIGURED,
    404: _NO_ROUTE,
    409: _SLIPPAGE,
    422: _NO_ROUTE,
    424: _UNAVAILABLE,
    429: _RATE_LIMITED,
}
"""By HTTP status, where the body says nothing. From 500 on nothing is read at all."""

SENTENCES: tuple[tuple[str, Meaning], ...] = (
    ("none of the available routes could successfully generate a tx", _NOT_BUILT),
    ("no available quotes for the requested transfer", _NO_ROUTE),
    ("rate limit", _RATE_LIMITED),
)
"""By a part of the body's ``message``, in lower case, where a code is missing or only the default."""

_DEFAULT_CODE = 1000
_MOST_TOOL_ERRORS = 200


def meaning_of(answer: ProviderAnswer) -> Meaning:
    """Why there is no quote in an answer that is no success: the tools' own reasons, then code, sentence and status."""
    body = answer.body if isinstance(answer.body, dict) else {}
    code = body.get("code")
    meaning = BODY_CODES.get(code) if type(code) is int else None
    if answer.status == 429 or meaning is _RATE_LIMITED:  # noqa: PLR2004 - too many requests
        return _RATE_LIMITED
    if meaning is None or meaning in {_NO_ROUTE, _UNAVAILABLE}:
        told = set(_tool_codes(body.get("errors")))
        by_tools = next((TOOL_ERRORS[telling] for telling in _MOST_TELLING if telling in told), None)
        meaning = by_tools or (meaning if code != _DEFAULT_CODE else None)
    message = body.get("message")
    text = message.lower() if isinstance(message, str) else ""
    by_sentence = next((meant for part, meant in SENTENCES if part in text), None)
    return meaning or by_sentence or STATUSES.get(answer.status, _UNAVAILABLE)


def _tool_codes(errors: Any, depth: int = 0) -> Iterable[str]:
    """Every ``code`` in the lists and objects under ``errors``, whose form differs from answer to answer."""
    children: Iterable[Any] = ()
    if isinstance(errors, dict):
        code = errors.get("code")
        if isinstance(code, str):
            yield code
        children = errors.values()
    elif isinstance(errors, list):
        children = errors
    if depth < 6:  # noqa: PLR2004 - failed, subpaths, their names, their errors
        for child in list(children)[:_MOST_TOOL_ERRORS]:
            yield from _tool_codes(child, depth + 1)
