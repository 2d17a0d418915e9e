"""How surely something must stand on a chain before it counts, by the chain and by what is at stake.

Source: docs/live.md, What an operator sets; docs/adr/0013. The limits are settings.
"""

from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

from django.conf import settings

from chains.registry import Chain


class Finality(StrEnum):
    """What a chain must say of a block: that it stands so deep, that it is safe, that it is final."""

    INCLUDED = "included"
    SAFE = "safe"
    FINALIZED = "finalized"


_STRENGTH = (Finality.INCLUDED, Finality.SAFE, Finality.FINALIZED)


def finality_for(known: Chain, at_stake_usd: Decimal | None, at_least: Finality = Finality.INCLUDED) -> Finality:
    """What is asked for on this chain for an amount; the strongest where nobody says how much it is about.

    ``at_least`` is a merchant's own wish: it can only strengthen the operator's table.
    """
    wanted = max(_by_table(known, at_stake_usd), at_least, key=_STRENGTH.index)
    return Finality.FINALIZED if wanted is Finality.SAFE and not known.has_safe_blocks else wanted


def _by_table(known: Chain, at_stake_usd: Decimal | None) -> Finality:
    if known.settles_at_finalized or at_stake_usd is None or at_stake_usd > settings.SETTLE_FINALIZED_ABOVE_USD:
        return Finality.FINALIZED
    if at_stake_usd < settings.SETTLE_SAFE_FROM_USD:
        return Finality.INCLUDED
    return Finality.SAFE


def needs_second_node(at_stake_usd: Decimal | None) -> bool:
    """Whether one node's word alone must not decide, as long as there are two."""
    return at_stake_usd is None or at_stake_usd >= settings.SECOND_NODE_FROM_USD


def settling_seconds(known: Chain, at_stake_usd: Decimal | None) -> int:
    """How long that usually takes, rounded up."""
    deep = (known.block_seconds * known.confirmations_required).to_integral_value(rounding=ROUND_CEILING)
    wanted = finality_for(known, at_stake_usd)
    if wanted is Finality.SAFE:
        return max(known.safe_seconds, int(deep))
    return max(known.finalized_seconds, int(deep)) if wanted is Finality.FINALIZED else int(deep)
