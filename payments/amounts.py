"""Figures of an intent that follow from its row."""

from decimal import Decimal
from fractions import Fraction

from core.money import ZERO_USD, BaseUnits, UsdAmount, usd_from_micros, usd_to_micros
from payments.models import PaymentIntent

TOLERANCE_RATE = Decimal("0.005")
TOLERANCE_CAP_USD = Decimal("0.10")
"""Source: contract, PaymentIntent state machine (tolerance): whichever is smaller, and only across bridges."""
MOST_TOLERANCE_BPS, MOST_TOLERANCE_USD = 500, Decimal("5")
"""What a merchant may allow instead. Source: contract, tolerance (0 to 5 %); rulings, Tolerance (at most 5 USD)."""
SLIPPAGE_RATE = Decimal("0.01")
"""A surplus inside the quoted slippage is no overpayment. Source: rulings, Stray tokens."""
DUST_RATE, DUST_FLOOR_USD = Decimal("0.01"), Decimal("1")
"""Source: rulings, Tolerance: less than this, not completing an intent, never changes its status."""


def amount_due(intent: PaymentIntent) -> UsdAmount:
    """What is still missing, never below zero."""
    return UsdAmount(max(intent.amount - intent.received_usd, Decimal(0)))


def is_partially_funded(intent: PaymentIntent) -> bool:
    """Whether something arrived, but not the whole amount."""
    return 0 < intent.received_usd < intent.amount


def value_at_frozen_rate(intent: PaymentIntent, units: BaseUnits) -> UsdAmount:
    """Dollars of so many settlement units at the rate frozen by the first firm quote, cut to micro-dollars.

    Why whole numbers: amount times units can have more digits than a decimal context keeps.
    """
    if not intent.target_base_units:
        return ZERO_USD
    return usd_from_micros(usd_to_micros(intent.amount) * units // intent.target_base_units)


def due_base_units(intent: PaymentIntent, received: BaseUnits) -> BaseUnits:
    """Settlement units still missing. Why not from dollars: that would round twice."""
    return BaseUnits(max((intent.target_base_units or 0) - received, 0))


def tolerance_base_units(intent: PaymentIntent, wanted_bps: int | None = None) -> BaseUnits:
    """How far below the target a bridged payment still settles, in settlement units, cut down.

    ``wanted_bps``: the merchant's own word, in hundredths of a percent; None for the default.
    """
    rate, cap = Fraction(TOLERANCE_RATE), TOLERANCE_CAP_USD
    if wanted_bps is not None:
        rate, cap = Fraction(wanted_bps, 10_000), MOST_TOLERANCE_USD
    share = min(rate, Fraction(cap) / Fraction(intent.amount))
    return BaseUnits(int((intent.target_base_units or 0) * share))


def is_dust(intent: PaymentIntent, received_usd: Decimal) -> bool:
    """Whether so little arrived that it must not move the intent."""
    return received_usd < min(max(DUST_FLOOR_USD, intent.amount * DUST_RATE), intent.amount)
