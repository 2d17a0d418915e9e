"""What tools show of intents, legs, routes, refunds and payouts: the bodies of REST, less what others wrote.

Every figure is a decimal string. A chain, symbol or address that the service does not vouch for is null, and its text
is under ``untrusted`` where that was asked for.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from chains.registry import is_tx_hash
from core.money import to_decimal_string
from mcp.caller import Caller
from mcp.scopes import Scope
from mcp.tools.untrusted import Check, is_address, is_code, is_known_chain, is_known_symbol, set_apart
from payments.models import Leg, PaymentIntent, RouteCandidate
from payments.serializers import candidate_body, intent_body, leg_body
from payouts.events import payout_body
from payouts.models import Payout
from refunds.models import Refund
from refunds.selectors import Share, offers
from refunds.serializers import refund_body

_CUSTOMER_FIELDS = ("customer_email", "metadata")
_INTENT_TEXTS = (*_CUSTOMER_FIELDS, "reference", "return_url")
_INTENT_CHECKS: Mapping[str, Check] = {
    "settlement_chain": is_known_chain,
    "settlement_token": is_known_symbol,
    "settlement_address": is_address,
    "failure_reason": is_code,
    "settled_reason": is_code,
}
_LEG_CHECKS: Mapping[str, Check] = {
    "provider": is_code,
    "chain": is_known_chain,
    "to_chain": is_known_chain,
    "token": is_known_symbol,
    "to_token": is_known_symbol,
    "sub_status": is_code,
    "tx_hash": is_tx_hash,
    "destination_tx_hash": is_tx_hash,
    "payer_address": is_address,
}
_ROUTE_CHECKS: Mapping[str, Check] = {
    "provider": is_code,
    "from_chain": is_known_chain,
    "to_chain": is_known_chain,
    "from_token": is_known_symbol,
    "to_token": is_known_symbol,
}
_MONEY_OUT_CHECKS: Mapping[str, Check] = {
    "chain": is_known_chain,
    "token": is_known_symbol,
    "destination": is_address,
    "tx_hash": is_tx_hash,
    "failure_reason": is_code,
}
_REFUND_CHECKS: Mapping[str, Check] = {**_MONEY_OUT_CHECKS, "suggested_destination": is_address}

Shown = dict[str, Any]


def shown_intent(caller: Caller, intent: PaymentIntent, *, include_untrusted: bool = False) -> Shown:
    """An intent as a tool shows it. What customers may have written needs the scope for it, else it is left out."""
    body = intent_body(intent, settings.BASE_URL)
    last_error = body.pop("last_error")
    believed, apart = set_apart(body, _INTENT_CHECKS, _INTENT_TEXTS)
    believed["last_error"] = {"code": last_error["code"]} if last_error else None
    if not include_untrusted:
        return believed
    if last_error:
        apart |= set_apart({"last_error_message": last_error["message"]}, {}, ["last_error_message"])[1]
    if Scope.READ_CUSTOMERS not in caller.scopes:
        withheld = [name for name in _CUSTOMER_FIELDS if apart.pop(name, None) is not None]
        apart |= {"withheld": withheld, "scope_needed": Scope.READ_CUSTOMERS.value} if withheld else {}
    return {**believed, "untrusted": apart}


def shown_leg(leg: Leg, *, include_untrusted: bool = False) -> Shown:
    """A transaction leg as a tool shows it."""
    body = leg_body(leg) | {
        name: to_decimal_string(getattr(leg, name)) for name in ("amount_usd", "fee_usd", "gas_usd")
    }
    believed, apart = set_apart(body, _LEG_CHECKS, ["error"])
    if believed["tx_hash"] is None:
        believed["explorer_url"] = None
    return _whole(believed, apart, include_untrusted=include_untrusted)


def shown_route(candidate: RouteCandidate, *, include_untrusted: bool = False) -> Shown:
    """A weighed route as a tool shows it."""
    figures = ("to_amount_usd", "fee_usd", "gas_usd")
    body = candidate_body(candidate) | {name: to_decimal_string(getattr(candidate, name)) for name in figures}
    body["score"] = to_decimal_string(candidate.score)
    believed, apart = set_apart(body, _ROUTE_CHECKS, ["reason", "error"])
    return _whole(believed, apart, include_untrusted=include_untrusted)


def shown_refunds(refunds: list[Refund], *, include_untrusted: bool = False) -> list[Shown]:
    """Refunds as tools show them, in the order given."""
    payers = offers(refunds)
    return [_shown_refund(one, payers.get(one.pk), include_untrusted=include_untrusted) for one in refunds]


def shown_refund(refund: Refund, *, include_untrusted: bool = False) -> Shown:
    """One refund as a tool shows it."""
    return shown_refunds([refund], include_untrusted=include_untrusted)[0]


def shown_payout(payout: Payout, *, include_untrusted: bool = False) -> Shown:
    """A payout as a tool shows it."""
    believed, apart = set_apart(payout_body(payout), _MONEY_OUT_CHECKS)
    return _whole(believed, apart, include_untrusted=include_untrusted)


def _shown_refund(refund: Refund, parts: list[Share] | None, *, include_untrusted: bool) -> Shown:
    """Why without the payers: who paid how much is for people to decide by."""
    body = refund_body(refund, parts) | {"amount_usd": to_decimal_string(refund.amount_usd)}
    del body["payers"]
    believed, apart = set_apart(body, _REFUND_CHECKS, ["reason"])
    return _whole(believed, apart, include_untrusted=include_untrusted)


def _whole(believed: Shown, apart: Shown, *, include_untrusted: bool) -> Shown:
    return {**believed, "untrusted": apart} if include_untrusted else believed
