"""What a checked quote costs, as an offer says it: at our own prices, but for the gas that LI.FI estimates."""

from decimal import Decimal
from fractions import Fraction

from core.money import BaseUnits, UsdAmount
from payments.routing.assets import ceiling, dollars_up, value_usd
from payments.routing.estimates import SOLANA_FEE_USD
from payments.routing.lifi.checks import CheckedFigures
from payments.routing.lifi.reading import malformed
from payments.routing.lifi.terms import Terms

APPROVAL_GAS = 60_000
"""Units of gas of one approval, rounded up."""
HEADROOM_BPS = 50
"""What the input may rise between the offer and the firm quote without asking the payer again."""
_BPS = 10_000


def most_input(found: CheckedFigures) -> BaseUnits:
    """The input with its headroom, rounded up."""
    return ceiling(Fraction(found.quote.from_amount * (_BPS + HEADROOM_BPS), _BPS))


def fee_usd(found: CheckedFigures, terms: Terms) -> UsdAmount:
    """What is lost on the way: the input's value above the target's, and what is paid on top; rounded up."""
    given = value_usd(terms.request.source, found.quote.from_amount)
    wanted = value_usd(terms.request.destination, terms.request.target_base_units)
    return dollars_up(max(given - wanted, Fraction(0)) + Fraction(found.native_fee_usd))


def gas_usd(found: CheckedFigures, terms: Terms) -> UsdAmount:
    """The network fee, with that of an approval where a token is paid; rounded up.

    Raises: LifiRefused where none is told, since no transaction is free.
    """
    costs = found.quote.gas
    total = sum((cost.usd for cost in costs), Decimal(0))
    units = sum(cost.units for cost in costs)
    if total <= 0 or units <= 0:
        raise malformed()
    if terms.is_solana:
        return dollars_up(max(Fraction(total), SOLANA_FEE_USD))
    approval = 0 if terms.takes_native else APPROVAL_GAS
    return dollars_up(Fraction(total) * (units + approval) / units)
