"""What paying with each token of a real wallet would roughly cost, without asking an aggregator.

Why: a wallet holds many tokens and aggregators answer few questions; the firm quote is taken for the chosen one.
The figures are on the dear side, so that a firm quote is seldom worse.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from django.conf import settings

from chains.registry import Family, chain
from core.money import ZERO_USD, BaseUnits, UsdAmount
from payments.routing.assets import dollars_down, dollars_up, key_of, units_worth, value_usd
from payments.routing.base import LegKind, RouteOffer, RouteRequest
from payments.routing.gates import OfferError
from payments.routing.lifi.pins import SOLANA_INPUTS
from payments.routing.network_fees import network_fee_usd
from payments.routing.offers import counting_seconds, refused

ESTIMATE = "estimate"
"""The provider that stands for whichever aggregator will be asked."""
SOLANA_FEE_USD = Fraction(2, 100)
"""Signature, priority, and now and then a new account's rent."""
_WHOLE_BPS = 10_000


@dataclass(frozen=True, kw_only=True)
class _Way:
    """Figures of one kind of route. Units: ``cost_bps`` of the amount, ``gas_units`` and bytes with the approval."""

    kind: LegKind
    cost_bps: int
    gas_units: int
    size: int
    seconds: int


_SWAP = _Way(kind=LegKind.SWAP, cost_bps=50, gas_units=350_000, size=2_000, seconds=5)
_BRIDGE = _Way(kind=LegKind.BRIDGE, cost_bps=40, gas_units=250_000, size=1_300, seconds=30)
_SWAP_AND_BRIDGE = _Way(kind=LegKind.BRIDGE, cost_bps=90, gas_units=500_000, size=3_000, seconds=30)

AskExactly = Callable[[RouteRequest], list[RouteOffer]]


def estimates(request: RouteRequest, ask_exact: AskExactly) -> list[RouteOffer]:
    """The exact transfer where nothing is converted, else one estimate. Raises: ChainUnavailable."""
    if key_of(request.source) == key_of(request.destination):
        return ask_exact(request)
    way = _way(request)
    if way is None:
        return [refused(ESTIMATE, request, OfferError.NO_ROUTE)]
    known = chain(request.source.chain)
    is_solana = known is not None and known.family is Family.SOLANA
    gas_usd = (
        dollars_up(SOLANA_FEE_USD) if is_solana else network_fee_usd(request.source.chain, way.gas_units, way.size)
    )
    if request.source.usd_price <= 0 or gas_usd is None:
        return [refused(ESTIMATE, request, OfferError.PRICE_UNAVAILABLE)]
    return [_offer(request, way, gas_usd)]


def _way(request: RouteRequest) -> _Way | None:
    """The kind of route that somebody who is configured could carry."""
    source, destination = chain(request.source.chain), chain(request.destination.chain)
    if source is None or destination is None:
        return None
    if source is destination:
        asked = settings.LIFI_URL if source.family is Family.EVM else settings.JUPITER_URL
        return _SWAP if asked else None
    if not settings.LIFI_URL or destination.family is not Family.EVM:
        return None
    if source.family is Family.SOLANA and request.source.address not in SOLANA_INPUTS:
        return None
    return _BRIDGE if request.source.symbol == request.destination.symbol else _SWAP_AND_BRIDGE


def _offer(request: RouteRequest, way: _Way, gas_usd: UsdAmount) -> RouteOffer:
    worth = value_usd(request.destination, request.target_base_units)
    cost = worth * (way.cost_bps + settings.MAX_SLIPPAGE_BPS + settings.PLATFORM_FEE_BPS) / _WHOLE_BPS
    target = BaseUnits(request.target_base_units)
    return RouteOffer(
        provider=ESTIMATE,
        request=request,
        kind=way.kind,
        input_base_units=units_worth(request.source, worth + cost),
        min_output_base_units=target,
        expected_output_base_units=target,
        to_amount_usd=dollars_down(worth),
        fee_usd=dollars_up(cost) if cost > 0 else ZERO_USD,
        gas_usd=gas_usd,
        duration_sec=way.seconds + counting_seconds(request),
        raw={"tool": ESTIMATE},
    )
