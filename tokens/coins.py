"""Where else a chain's own coin has a price: its well-known wrapped form on Solana, which Jupiter trades.

A coin that is not here has one source, so nothing can be settled in it; it can still be paid with. POL is such a coin:
its bridged form is hardly traded on Solana, and a price of what nobody trades is none.
"""

from dataclasses import dataclass

WRAPPED_SOL = "So11111111111111111111111111111111111111112"


@dataclass(frozen=True, kw_only=True, slots=True)
class WrappedCoin:
    """A mint on Solana that stands one to one for a coin. Its decimals are its own, not the coin's."""

    symbol: str
    mint: str
    decimals: int
    source: str


_WRAPPED = (
    WrappedCoin(symbol="SOL", mint=WRAPPED_SOL, decimals=9, source="docs.li.fi/li.fi-api/solana"),
    WrappedCoin(
        symbol="ETH",
        mint="7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs",
        decimals=8,
        source="Ether by the Wormhole bridge; Solana token list and Raydium's list",
    ),
    WrappedCoin(
        symbol="BNB",
        mint="9gP2kCy3wA1ctvYWQk75guqXuHfrEomqydHLtcTCqiLa",
        decimals=8,
        source="BNB by the Wormhole bridge; Solana token list and Raydium's list",
    ),
)
WRAPPED_COINS = {coin.symbol: coin for coin in _WRAPPED}
"""By the symbol of the chain registry, which no fake can carry."""
