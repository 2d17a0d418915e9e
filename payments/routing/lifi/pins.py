"""What is known of LI.FI and may not come from its answers: contracts, bridges, wrapped coins.

Source: https://github.com/lifinance/contracts at ef00558 (deployments); docs/routing.md, LI.FI.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from chains.clients.across import ACROSS
from chains.registry import Chain, Family

_DIAMOND = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"

ROUTERS: Mapping[str, str] = dict.fromkeys(("ethereum", "base", "arbitrum", "optimism", "polygon", "bnb"), _DIAMOND)
"""LI.FI's contract by chain: the only one that a payer is asked to call or to approve. No other chain is served."""

WRAPPED_COINS: Mapping[str, str] = {
    "ethereum": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    "base": "0x4200000000000000000000000000000000000006",
    "arbitrum": "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    "optimism": "0x4200000000000000000000000000000000000006",
    "polygon": "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270",
    "bnb": "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c",
}
"""The native coin as a token, by chain."""

RESET_FIRST = frozenset({("ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec7")})
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
