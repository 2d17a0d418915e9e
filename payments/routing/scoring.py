"""How good an offer is, as one number from 0 to 100. Pure; the weights are the whole policy.

Source: docs/routing.md, Score.
"""

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from chains.registry import Family, chain
from payments.routing.assets import key_of, value_usd
from payments.routing.base import ASSUMED, LegKind, Risks, RouteKey, RouteOffer
from payments.routing.gates import native_key

BEST = Decimal(100)
WORST = Decimal(0)
COST_WEIGHT = Decimal(600)
"""Points for a cost as high as the amount itself: one per cent costs six points."""
SECOND_WEIGHT = Decimal("0.02")
EXTRA_SIGNATURE_WEIGHT = Decimal(8)
DESTINATION_SWAP_WEIGHT = Decimal(15)
"""A swap after a bridge can leave another token with the merchant."""
NOT_EXACT_WEIGHT = Decimal(10)
FAILURE_WEIGHT = Decimal(40)
FAILURE_RISK = {LegKind.TRANSFER: Decimal("0.001"), LegKind.SWAP: Decimal("0.01"), LegKind.BRIDGE: Decimal("0.03")}
"""Assumed share of failures by kind, where none was measured and adopted (``payments.routing.risks``)."""
_PLACES = Decimal("0.000001")


def score(offer: RouteOffer, risks: Risks = ASSUMED) -> Decimal:
    """The offer's score: 100 for a free, instant, exact payment, never below 0; higher is better.

    ``risks``: the measured share of failures by route, in place of that assumed for the kind.
    """
    if offer.error is not None:
        return WORST
    source, destination = offer.request.source, offer.request.destination
    known = chain(source.chain)
    is_evm = known is None or known.family is Family.EVM
    # The payer signs twice: an EVM token must be released to a router before it can be swapped.
    needs_approval = is_evm and offer.kind is not LegKind.TRANSFER and key_of(source) != native_key(source)
    swaps_at_the_destination = offer.kind is LegKind.BRIDGE and source.symbol != destination.symbol
    lost = (
        COST_WEIGHT * cost_ratio(offer)
        + SECOND_WEIGHT * offer.duration_sec
        + EXTRA_SIGNATURE_WEIGHT * needs_approval
        + DESTINATION_SWAP_WEIGHT * swaps_at_the_destination
        + NOT_EXACT_WEIGHT * (offer.expected_output_base_units != offer.request.target_base_units)
        + FAILURE_WEIGHT * risks.get(route_of(offer), FAILURE_RISK[offer.kind])
    )
    return min(max(BEST - lost, WORST), BEST).quantize(_PLACES, rounding=ROUND_HALF_EVEN)


def route_of(offer: RouteOffer) -> RouteKey:
    """By what figures of routes are kept."""
    return offer.provider, offer.request.source.chain, offer.request.destination.chain


def cost_usd(offer: RouteOffer) -> Fraction:
    """What the payer loses on the way: all that leaves the wallet, less what the merchant was to get. Exact."""
    return paid_usd(offer) - _target_usd(offer)


def paid_usd(offer: RouteOffer) -> Fraction:
    """All that leaves the wallet at most: the input, the network fee, and what a provider takes on top. Exact."""
    on_top = Fraction(offer.gas_usd) + Fraction(offer.native_fee_usd)
    return value_usd(offer.request.source, offer.input_base_units) + on_top


def cost_ratio(offer: RouteOffer) -> Decimal:
    """Cost as a share of the amount, never below zero."""
    target = _target_usd(offer)
    if target <= 0:
        return Decimal(1)
    ratio = max(cost_usd(offer) / target, Fraction(0))
    return Decimal(ratio.numerator) / Decimal(ratio.denominator)


def worth_usd(offer: RouteOffer) -> Decimal:
    """What the merchant was to get, in dollars."""
    exact = _target_usd(offer)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def _target_usd(offer: RouteOffer) -> Fraction:
    return value_usd(offer.request.destination, offer.request.target_base_units)
