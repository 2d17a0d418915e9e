"""What every provider says in the same way: a refusal, and the exact transfer."""

from decimal import Decimal

from chains.finality import settling_seconds as seconds_to_count
from chains.registry import chain
from core.modes import Mode
from core.money import ZERO_USD, BaseUnits, UsdAmount
from payments.routing.assets import dollars_down, key_of, value_usd
from payments.routing.base import LegKind, RouteOffer, RouteRequest

_UNKNOWN_CHAIN_SECONDS = 10


def refused(provider: str, request: RouteRequest, error: str, tool: str = "") -> RouteOffer:
    """A provider's no, with all figures at zero."""
    nothing = BaseUnits(0)
    is_swap = request.source.chain == request.destination.chain
    kind = LegKind.SWAP if is_swap else LegKind.BRIDGE
    if key_of(request.source) == key_of(request.destination):
        kind = LegKind.TRANSFER
    return RouteOffer(
        provider=provider,
        request=request,
        kind=kind,
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
        duration_sec=counting_seconds(request),
        raw={"tool": "transfer"},
    )


def counting_seconds(request: RouteRequest) -> int:
    """How long it takes until what was asked for counts where it arrives; test mode does not look at the amount."""
    worth_usd = dollars_down(value_usd(request.destination, request.target_base_units))
    return settling_seconds(request.destination.chain, worth_usd if request.mode == Mode.LIVE else ZERO_USD)


def settling_seconds(chain_name: str, at_stake_usd: Decimal = ZERO_USD) -> int:
    """How long it takes until so much counts on a chain, rounded up. Nothing at stake: its standard confirmations."""
    known = chain(chain_name)
    return _UNKNOWN_CHAIN_SECONDS if known is None else seconds_to_count(known, at_stake_usd)
