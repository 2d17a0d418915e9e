"""What a request would send, written down once when it is asked for; what is approved is that, or nothing.

Source: docs/adr/0046.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from core.money import BaseUnits, UsdAmount, from_base_units, to_decimal_string
from mcp.models import ApprovalRequest
from mcp.money_requests import refund_request
from merchants.principal import Principal
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.states import IntentStatus
from payouts.models import Payout
from payouts.services.plan import plan_payout
from refunds.models import Refund
from refunds.services.create import drafted_refund

NOT_NAMED = "an address that somebody must still name"


@dataclass(frozen=True, kw_only=True)
class Leaving:
    """One transfer as a person approves it. ``rail`` is a payout's; a refund's is found when it is sent."""

    amount_usd: UsdAmount
    destination: str
    chain: str
    token: str
    token_address: str
    token_decimals: int
    base_units: BaseUnits
    rail: str

    @property
    def tokens(self) -> str:
        """Its amount in units of its token, as people read it."""
        return f"{to_decimal_string(from_base_units(self.base_units, self.token_decimals), 0)} {self.token}"

    @property
    def columns(self) -> dict[str, Any]:
        """The same as columns of a request."""
        return asdict(self)


def planned(principal: Principal, tool: str, arguments: Mapping[str, Any], intent: PaymentIntent) -> Leaving:
    """What a call would send now. Raises: whatever creating it raises. Locks: the caller holds the intent's lock."""
    return _PLANS[tool](principal, arguments, intent)


def kept(request: ApprovalRequest) -> Leaving | None:
    """What a request was planned to send; None where it was asked for before that was kept."""
    if request.base_units is None or request.token_decimals is None:
        return None
    return Leaving(
        amount_usd=UsdAmount(request.amount_usd),
        destination=request.destination,
        chain=request.chain,
        token=request.token,
        token_address=request.token_address,
        token_decimals=request.token_decimals,
        base_units=BaseUnits(int(request.base_units)),
        rail=request.rail,
    )


def made(tool: str, subject_id: UUID) -> Leaving:
    """What the payout or refund that a tool made sends."""
    if tool == "create_payout":
        payout = Payout.objects.get(pk=subject_id)
        return _of_row(payout, rail=payout.rail)
    return _of_row(Refund.objects.get(pk=subject_id))


def differences(approved: Leaving, wanted: Leaving) -> dict[str, tuple[str, str]]:
    """What is not the same, each with both sides as people read them."""
    pairs = {
        "amount_usd": (to_decimal_string(approved.amount_usd), to_decimal_string(wanted.amount_usd)),
        "units": (approved.tokens, wanted.tokens),
        "token": (approved.token_address or approved.token, wanted.token_address or wanted.token),
        "chain": (approved.chain, wanted.chain),
        "destination": (approved.destination or NOT_NAMED, wanted.destination or NOT_NAMED),
        "rail": (approved.rail, wanted.rail),
    }
    return {name: sides for name, sides in pairs.items() if sides[0] != sides[1]}


def _payout(_principal: Principal, _arguments: Mapping[str, Any], intent: PaymentIntent) -> Leaving:
    if intent.status != IntentStatus.SETTLED:
        raise IntentNotSettled(intent.status)
    plan = plan_payout(intent)
    return Leaving(
        amount_usd=plan.amount_usd,
        destination=plan.destination,
        chain=intent.settlement_chain,
        token=intent.settlement_token,
        token_address=intent.settlement_token_address,
        token_decimals=intent.settlement_decimals,
        base_units=plan.base_units,
        rail=plan.rail,
    )


def _of_row(row: Payout | Refund, rail: str = "") -> Leaving:
    return Leaving(
        amount_usd=UsdAmount(row.amount_usd),
        destination=row.destination,
        chain=row.chain,
        token=row.token,
        token_address=row.token_address,
        token_decimals=row.token_decimals,
        base_units=BaseUnits(int(row.base_units)),
        rail=rail,
    )


_PLANS: Mapping[str, Callable[[Principal, Mapping[str, Any], PaymentIntent], Leaving]] = {
    "create_payout": _payout,
    "create_refund": lambda principal, arguments, _: _of_row(drafted_refund(principal, refund_request(arguments))),
}
