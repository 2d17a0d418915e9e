"""What is known of LI.FI and may not come from its answers: contracts, bridges, wrapped coins.

Source: chains/networks/__init__.py; docs/routing.md, LI.FI.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from chains.clients.across import ACROSS
from chains.registry import CHAINS, Chain, Family

ROUTERS: Mapping[str, str] = {known.name: known.lifi_contract for known in CHAINS if known.lifi_contract}
"""LI.FI's contract by chain: the only one that a payer is asked to call or to approve. No other chain is served."""
WRAPPED_COINS: Mapping[str, str] = {known.name: known.wrapped_coin for known in CHAINS if known.wrapped_coin}
"""The native coin as a token, by chain."""
RESET_FIRST = frozenset((known.name, token) for known in CHAINS for token in known.resetting_tokens)
"""Tokens that refuse to change an allowance which is not zero."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bridge:
    """A bridge whose orders carry an id on both chains and whose call is read in full.

    Units: ``most_native_fee`` in the source chain's native base units, on top of the input.
    """

    tool: str
    most_native_fee: int


BRIDGES: Mapping[str, Bridge] = {ACROSS: Bridge(tool=ACROSS, most_native_fee=0)}
"""By LI.FI's name of the tool. Across takes no native coin on top: its facet sends back whatever exceeds the input."""


SOLANA_ID = 1151111081099710
"""Solana, as LI.FI numbers chains. Source: https://docs.li.fi, Solana."""
SOLANA_INPUTS = frozenset({"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"})
"""Tokens of Solana that Across takes: USDC. Why no others: LI.FI would exchange them before, in calls nobody reads."""


def lifi_id(known: Chain) -> int | None:
    """A chain's id as LI.FI has it; None where it has none."""
    return SOLANA_ID if known.family is Family.SOLANA else known.chain_id
