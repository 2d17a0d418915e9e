"""What we offer for gas: enough for the next blocks, more when that waits, never more than a chain's cap. Pure.

Units: wei for one unit of gas.
"""

from dataclasses import dataclass
from datetime import timedelta

from chains.chain import USUAL_FEE_CAP, USUAL_LEAST_TIP, Chain
from chains.clients.evm_preflight import Market
from chains.registry import chain as chain_named
from core.money import BaseUnits

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
    cap, least_tip = _limits(chain)
    tip = max(market.usual_tip, least_tip)
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
    if max(most, tip) > _limits(chain)[0]:
        return None
    return Fees(max_fee=BaseUnits(max(most, tip)), priority_fee=BaseUnits(tip))


def _limits(chain: str) -> tuple[int, int]:
    """The most that we ever offer on a chain, and the least tip."""
    known = chain_named(chain)
    return (USUAL_FEE_CAP, USUAL_LEAST_TIP) if known is None else (known.fee_cap, known.least_tip)


def _raised(fee: int) -> int:
    """Why one more where an eighth of it is nothing: nodes want both fees higher than before."""
    return max(-(-fee * 9 // 8), fee + 1)
