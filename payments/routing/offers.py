"""What every provider says in the same way: a refusal, and the exact transfer."""

from decimal import ROUND_CEILING

from chains.registry import chain
from core.money import ZERO_USD, BaseUnits, UsdAmount
from payments.routing.assets import dollars_down, key_of, value_usd
from payments.routing.base import LegKind, RouteOffer, RouteRequest

_UNKNOWN_CHAIN_SECONDS = 10


def refused(provider: str, request: RouteRequest, error: str, tool: str = "") -> RouteOffer:
    """A provider's no, with all figures at zero."""
    nothing = BaseUnits(0)
    return RouteOffer(
        provider=provider,
        request=request,
        kind=_kind(request),
        input_base_units=nothing,
        min_output_base_units=nothing,
        expected_output_base_units=nothing,
        to_amount_usd=ZERO_USD,
        fee_usd=ZERO_USD,
        gas_usd=ZERO_USD,
        duration_sec=0,
        error=error,
        raw={"tool": tool},
    )


def exact_transfer(provider: str, request: RouteRequest, gas_usd: UsdAmount) -> RouteOffer:
    """The whole target and not a unit more, for a payer who already holds the settlement asset."""
    target = request.target_base_units
    return RouteOffer(
        provider=provider,
        request=request,
        kind=LegKind.TRANSFER,
        input_base_units=target,
        min_output_base_units=target,
        expected_output_base_units=target,
        to_amount_usd=dollars_down(value_usd(request.destination, target)),
        fee_usd=ZERO_USD,
        gas_usd=gas_usd,
        duration_sec=settling_seconds(request.source.chain),
        raw={"tool": "transfer"},
    )


def settling_seconds(chain_name: str) -> int:
    """How long a chain takes to its standard number of confirmations, rounded up."""
    known = chain(chain_name)
    if known is None:
        return _UNKNOWN_CHAIN_SECONDS
    exact = known.block_seconds * known.confirmations_required
    return int(exact.to_integral_value(rounding=ROUND_CEILING))


def _kind(request: RouteRequest) -> LegKind:
    if key_of(request.source) == key_of(request.destination):
        return LegKind.TRANSFER
    return LegKind.SWAP if request.source.chain == request.destination.chain else LegKind.BRIDGE
