"""What tools show of intents, legs, routes, refunds and payouts: the bodies of REST, less what others wrote.

Every figure is a decimal string. A chain, symbol or address that the service does not vouch for is null, and its text
is under ``untrusted`` where that was asked for.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from core.money import to_decimal_string
from mcp.caller import Caller
from mcp.scopes import Scope
from mcp.tools.shape_schemas import (
    CUSTOMER_FIELDS,
    SHOWN_INTENT,
    SHOWN_LEG,
    SHOWN_PAYOUT,
    SHOWN_REFUND,
    SHOWN_ROUTE,
)
from mcp.tools.untrusted import Narrowed, cleaned, set_apart
from payments.models import Leg, PaymentIntent, RouteCandidate
from payments.shapes import candidate_body, intent_body, leg_body
from payouts.models import Payout
from payouts.shapes import payout_body
from refunds.models import Refund
from refunds.selectors import offers
from refunds.shapes import refund_body

Shown = dict[str, Any]


def shown_intent(caller: Caller, intent: PaymentIntent, *, include_untrusted: bool = False) -> Shown:
    """An intent as a tool shows it. What customers may have written needs the scope for it, else it is left out."""
    believed, apart = set_apart(intent_body(intent, settings.BASE_URL), SHOWN_INTENT)
    last_error = believed.pop("last_error")
    believed["last_error"] = {"code": last_error["code"]} if last_error else None
    if not include_untrusted:
        return believed
    if last_error and last_error["message"]:
        apart["last_error_message"] = cleaned(last_error["message"])
    if Scope.READ_CUSTOMERS not in caller.scopes:
        withheld = [name for name in CUSTOMER_FIELDS if apart.pop(name, None) is not None]
        apart |= {"withheld": withheld, "scope_needed": Scope.READ_CUSTOMERS.value} if withheld else {}
    return {**believed, "untrusted": apart}


def shown_leg(leg: Leg, *, include_untrusted: bool = False) -> Shown:
    """A transaction leg as a tool shows it."""
    shown = _shown(leg, leg_body(leg, [], []), SHOWN_LEG, include_untrusted=include_untrusted)
    if shown["tx_hash"] is None:
        shown["explorer_url"] = None
    return shown


def shown_route(candidate: RouteCandidate, *, include_untrusted: bool = False) -> Shown:
    """A weighed route as a tool shows it."""
    return _shown(candidate, candidate_body(candidate), SHOWN_ROUTE, include_untrusted=include_untrusted)


def shown_refunds(refunds: list[Refund], *, include_untrusted: bool = False) -> list[Shown]:
    """Refunds as tools show them, in the order given."""
    payers = offers(refunds)
    return [
        _shown(one, refund_body(one, payers.get(one.pk)), SHOWN_REFUND, include_untrusted=include_untrusted)
        for one in refunds
    ]


def shown_refund(refund: Refund, *, include_untrusted: bool = False) -> Shown:
    """One refund as a tool shows it."""
    return shown_refunds([refund], include_untrusted=include_untrusted)[0]


def shown_payout(payout: Payout, *, include_untrusted: bool = False) -> Shown:
    """A payout as a tool shows it."""
    return _shown(payout, payout_body(payout), SHOWN_PAYOUT, include_untrusted=include_untrusted)


def _shown(row: Any, body: Mapping[str, Any], rules: Narrowed, *, include_untrusted: bool) -> Shown:
    """A body of REST as tools show it. Why the figures anew from the row: a JSON number is written once and for all."""
    figures = {name: to_decimal_string(getattr(row, name)) for name in rules.numbers}
    believed, apart = set_apart({**body, **figures}, rules)
    return {**believed, "untrusted": apart} if include_untrusted else believed
