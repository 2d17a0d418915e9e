"""What we offer for gas: enough for the next blocks, more when that waits, never more than a chain's cap. Pure.

Units: wei for one unit of gas.
"""

from dataclasses import dataclass
from datetime import timedelta

from chains.clients.evm_preflight import Market
from chains.registry import Chain
from core.money import BaseUnits

GWEI = 10**9
CAPS: dict[str, int] = {
    "ethereum": 200 * GWEI,
    "base": 10 * GWEI,
    "arbitrum": 10 * GWEI,
    "optimism": 10 * GWEI,
    "polygon": 3_000 * GWEI,
    "bnb": 20 * GWEI,
}
"""The most we ever offer. At these a token transfer costs some dollars on Ethereum, and below one elsewhere."""
OTHER_CAP = 10 * GWEI
LEAST_TIPS: dict[str, int] = {"polygon": 30 * GWEI, "bnb": GWEI // 20, "ethereum": GWEI // 20, "arbitrum": 0}
"""Below these, nodes of the chain take nothing, or nobody hurries."""
OTHER_LEAST_TIP = GWEI // 1_000

PATIENCE_BLOCKS, LEAST_PATIENCE_SECONDS = 5, 15
"""How long an offer stands before a dearer one: so many blocks, and at least so long."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fees:
    """Both fees of a transaction."""

    max_fee: BaseUnits
    priority_fee: BaseUnits


def patience(known: Chain) -> timedelta:
    """How long a transaction may wait on this chain before its fees are raised."""
    return timedelta(seconds=max(LEAST_PATIENCE_SECONDS, int(PATIENCE_BLOCKS * known.block_seconds)))


def fair_fees(chain: str, market: Market) -> Fees | None:
    """What lands soon and still does if the base fee doubles; None where not even the next block is within the cap."""
    cap = CAPS.get(chain, OTHER_CAP)
    tip = max(market.usual_tip, LEAST_TIPS.get(chain, OTHER_LEAST_TIP))
    if market.base_fee + tip > cap:
        return None
    return Fees(max_fee=BaseUnits(min(2 * market.base_fee + tip, cap)), priority_fee=BaseUnits(tip))


def dearer_fees(chain: str, market: Market, before: Fees) -> Fees | None:
    """What replaces an earlier offer everywhere, and is fair now; None above the cap.

    Source: docs/money-out.md, EVM chains. Rounding: up.
    """
    fair = fair_fees(chain, market)
    if fair is None:
        return None
    most = max(fair.max_fee, _raised(before.max_fee))
    tip = max(fair.priority_fee, _raised(before.priority_fee))
    if max(most, tip) > CAPS.get(chain, OTHER_CAP):
        return None
    return Fees(max_fee=BaseUnits(max(most, tip)), priority_fee=BaseUnits(tip))


def _raised(fee: int) -> int:
    """Why one more where an eighth of it is nothing: nodes want both fees higher than before."""
    return max(-(-fee * 9 // 8), fee + 1)
