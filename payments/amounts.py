"""Figures of an intent that follow from its row."""

from decimal import Decimal
from fractions import Fraction

from core.money import ZERO_USD, BaseUnits, UsdAmount, usd_from_micros, usd_to_micros
from payments.models import PaymentIntent
from payments.states import ACCEPTED_PARTIAL

TOLERANCE_RATE = Decimal("0.005")
TOLERANCE_CAP_USD = Decimal("0.10")
"""Whichever is smaller, and only across bridges. Source: docs/design/money.md, Tolerance."""
MOST_TOLERANCE_BPS, MOST_TOLERANCE_USD = 500, Decimal("5")
"""What a merchant may allow instead. Source: docs/design/money.md, Tolerance."""
SLIPPAGE_RATE = Decimal("0.01")
"""A surplus inside the quoted slippage is no overpayment. Source: docs/design/money.md, Surplus."""
DUST_RATE, DUST_FLOOR_USD = Decimal("0.01"), Decimal("1")
"""Less than this, not completing an intent, never changes its status. Source: docs/design/money.md, Dust."""


def kept_usd(intent: PaymentIntent) -> UsdAmount:
    """What counts towards the amount, never below zero: what arrived, less what goes back.

    Once it was settled only what was asked for while it was not: what a merchant returns of a settled payment is not
    due again.
    """
    gone = intent.returned_usd if intent.settled_less_usd is None else intent.settled_less_usd
    return UsdAmount(max(intent.received_usd - gone, Decimal(0)))


def amount_due(intent: PaymentIntent) -> UsdAmount:
    """What is still missing, never below zero. What goes back to a payer is missing again.

    Nothing is where the merchant took a part as enough.
    """
    if intent.settled_reason == ACCEPTED_PARTIAL:
        return ZERO_USD
    return UsdAmount(max(intent.amount - kept_usd(intent), Decimal(0)))


def paid_usd(intent: PaymentIntent) -> UsdAmount:
    """What arrived at the merchant, and the platform's fee that was paid on top of it. Source: docs/adr/0051."""
    return UsdAmount(intent.received_usd + (intent.platform_fee_usd or ZERO_USD))


def is_partially_funded(intent: PaymentIntent) -> bool:
    """Whether something arrived and stays, but not the whole amount, and that is not accepted as enough."""
    return intent.settled_reason != ACCEPTED_PARTIAL and 0 < kept_usd(intent) < intent.amount


def value_at_frozen_rate(intent: PaymentIntent, units: BaseUnits) -> UsdAmount:
    """Dollars of so many settlement units at the rate frozen by the first firm quote, cut to micro-dollars.

    Why whole numbers: amount times units can have more digits than a decimal context keeps.
    """
    if not intent.target_base_units:
        return ZERO_USD
    return usd_from_micros(usd_to_micros(intent.amount) * units // intent.target_base_units)


def due_base_units(intent: PaymentIntent, kept: BaseUnits) -> BaseUnits:
    """Settlement units still missing. Why not from dollars: that would round twice."""
    return BaseUnits(max((intent.target_base_units or 0) - kept, 0))


def tolerance_base_units(intent: PaymentIntent, bridged: BaseUnits, wanted_bps: int | None = None) -> BaseUnits:
    """How far below the target an intent still settles, in settlement units, cut down.

    ``bridged``: what was asked over bridges and arrived; nothing else is given any tolerance. ``wanted_bps``: the
    merchant's own word, in hundredths of a percent; None for the default.
    """
    rate, cap = Fraction(TOLERANCE_RATE), TOLERANCE_CAP_USD
    if wanted_bps is not None:
        rate, cap = Fraction(wanted_bps, 10_000), MOST_TOLERANCE_USD
    target = intent.target_base_units or 0
    most = target * min(rate, Fraction(cap) / Fraction(intent.amount))
    return BaseUnits(int(min(most, min(bridged, target) * rate)))


def is_dust(intent: PaymentIntent, received_usd: Decimal) -> bool:
    """Whether so little arrived that it must not move the intent."""
    return received_usd < min(max(DUST_FLOOR_USD, intent.amount * DUST_RATE), intent.amount)
