"""What the dashboard calls the statuses of payments, and how it writes amounts, chains and tokens."""

from decimal import Decimal
from typing import NamedTuple

from chains.registry import chain
from core.money import BaseUnits, from_base_units, to_decimal_string
from payments.models import PaymentIntent
from payments.states import IntentStatus as S


class Label(NamedTuple):
    """A few words and their tone."""

    word: str
    tone: str = ""


STATUS = {
    S.CREATED: Label("Not opened yet"),
    S.REQUIRES_PAYMENT: Label("Waits for payer"),
    S.QUOTED: Label("Price shown"),
    S.AWAITING_SIGNATURE: Label("Waits for wallet"),
    S.EXECUTING: Label("Under way"),
    S.PARTIALLY_FILLED: Label("Partly paid", "warn"),
    S.SETTLED: Label("Paid", "ok"),
    S.FAILED: Label("Failed", "bad"),
    S.EXPIRED: Label("Expired"),
    S.CANCELLED: Label("Cancelled"),
    S.REFUNDED: Label("Refunded"),
}
IN_DOUBT, FUNDED = Label("Outcome unknown", "warn"), "warn"
_OVER = (S.FAILED, S.EXPIRED, S.CANCELLED)


def status_of(intent: PaymentIntent) -> Label:
    """The pill of an intent. Money that arrived for one that is over needs a person, so it warns."""
    if intent.in_doubt and intent.status == S.EXECUTING:
        return IN_DOUBT
    label = STATUS[S(intent.status)]
    return (
        Label(f"{label.word}, money arrived", FUNDED) if intent.status in _OVER and intent.received_usd > 0 else label
    )


def dollars(amount: Decimal) -> str:
    """Dollars with their sign and their thousands apart."""
    whole, _, cents = to_decimal_string(amount).partition(".")
    return f"${int(whole):,}.{cents}"


def quantity(units: BaseUnits | int | None, decimals: int, symbol: str) -> str:
    """So much of a token."""
    if units is None:
        return ""
    return f"{to_decimal_string(from_base_units(BaseUnits(units), decimals), 0)} {symbol}"


def chain_name(name: str) -> str:
    """What people call a chain; a name that test mode made up stays as it is."""
    known = chain(name)
    return name if known is None else known.display_name
