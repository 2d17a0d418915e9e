"""The simulated providers' price lists: their tools, what each costs, how long it takes, where it refuses. Facts only.

Chosen so that every payment meets cheap and dear, quick and slow, and some that must be refused.
"""

from dataclasses import dataclass

from chains.registry import USUAL_GAS_USD
from chains.registry import chain as chain_named
from core.money import UsdAmount
from payments.routing.base import LegKind

PPM = 1_000_000
"""Parts per million: the whole of an amount."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One way of one provider.

    Units: ``fee_ppm`` of the amount, plus up to ``spread_ppm`` by request; ``surplus_ppm`` expected above what is
    guaranteed; ``delivered_ppm`` of the target that is guaranteed; ``impact_bps_per_100k`` per 100,000 USD.
    """

    name: str
    kind: LegKind
    fee_ppm: int = 0
    spread_ppm: int = 0
    seconds: int = 0
    surplus_ppm: int = 0
    delivered_ppm: int = PPM
    impact_bps_per_100k: int = 0
    least_usd: int = 0
    most_usd: int | None = None
    serves_solana: bool = True


ATLAS = (
    Tool(name="router", kind=LegKind.SWAP, fee_ppm=900, spread_ppm=300, seconds=12, surplus_ppm=1_000),
    Tool(name="batch", kind=LegKind.SWAP, fee_ppm=400, spread_ppm=200, seconds=45, surplus_ppm=1_500, least_usd=20),
    Tool(
        name="express",
        kind=LegKind.BRIDGE,
        fee_ppm=2_500,
        spread_ppm=500,
        seconds=25,
        surplus_ppm=1_000,
        most_usd=200_000,
        serves_solana=False,
    ),
    Tool(name="canonical", kind=LegKind.BRIDGE, fee_ppm=600, spread_ppm=200, seconds=900, surplus_ppm=500),
)
MERIDIAN = (
    Tool(name="pool", kind=LegKind.SWAP, fee_ppm=700, spread_ppm=300, seconds=8, delivered_ppm=998_500),
    Tool(
        name="book",
        kind=LegKind.SWAP,
        fee_ppm=1_200,
        spread_ppm=300,
        seconds=6,
        surplus_ppm=500,
        most_usd=50_000,
    ),
    Tool(name="solver", kind=LegKind.BRIDGE, fee_ppm=1_500, spread_ppm=400, seconds=40),
    Tool(
        name="pooled",
        kind=LegKind.BRIDGE,
        fee_ppm=800,
        spread_ppm=300,
        seconds=120,
        surplus_ppm=2_000,
        impact_bps_per_100k=80,
        least_usd=5,
    ),
)

GAS_FACTOR = {LegKind.TRANSFER: 1, LegKind.SWAP: 2, LegKind.BRIDGE: 3}


def gas_usd(chain: str, kind: LegKind) -> UsdAmount:
    """The simulated network fee of one transaction of this kind."""
    known = chain_named(chain)
    return UsdAmount((USUAL_GAS_USD if known is None else known.usual_gas_usd) * GAS_FACTOR[kind])
