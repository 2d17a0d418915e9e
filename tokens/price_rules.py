"""Which price counts, out of those that are fresh, and the prices of test mode. Pure.

Source: docs/guides/tokens.md, Prices; docs/adr/0012.
"""

from collections.abc import Sequence
from decimal import Decimal

MAX_AGE_SECONDS = 60
BLOCK_SECONDS = 300
"""How far from a block's time a price may be that says what was paid in it. Source: docs/adr/0060."""
PEG = Decimal(1)
LOWEST_PEG, HIGHEST_PEG = Decimal("0.98"), Decimal("1.02")
"""Market prices at which an issuer's dollar counts as one."""
FEWEST_SOURCES = 2
HIGHEST_RATIO = Decimal("1.01")
"""Of the highest to the lowest price of sources that agree."""
SIMULATED_USD_PRICES = {
    "USDC": Decimal("1"),
    "USDC.E": Decimal("1"),
    "USDT": Decimal("1"),
    "PYUSD": Decimal("1"),
    "DAI": Decimal("1"),
    "ETH": Decimal("2500"),
    "WETH": Decimal("2500"),
    "POL": Decimal("0.5"),
    "WPOL": Decimal("0.5"),
    "BNB": Decimal("600"),
    "WBNB": Decimal("600"),
    "SOL": Decimal("150"),
    "WSOL": Decimal("150"),
}
"""Of test mode, in dollars for one whole token, the symbol in upper case.

Why fixed: no source is asked, and every run of a test gives the same figures.
"""


def source_price(fresh: Sequence[Decimal], *, is_usd_stablecoin: bool) -> Decimal | None:
    """The price of a token that somebody pays with: one source is enough, and of several the lowest counts.

    Why one is enough: what arrives is guaranteed in base units of the settlement token, not by this price.
    Why the lowest: a wallet never looks richer than the most careful source says.
    """
    if not fresh:
        return None
    return _pegged(fresh) if is_usd_stablecoin else min(fresh)


def settlement_price(fresh: Sequence[Decimal], *, is_usd_stablecoin: bool) -> Decimal | None:
    """The price of a token that a merchant is paid in: two sources within one per cent, or a dollar that keeps its peg.

    Why the lowest of them: the merchant gets at least the amount, whichever source is right.
    """
    if is_usd_stablecoin:
        return _pegged(fresh) if fresh else None
    agree = len(fresh) >= FEWEST_SOURCES and max(fresh) <= min(fresh) * HIGHEST_RATIO
    return min(fresh) if agree else None


def _pegged(fresh: Sequence[Decimal]) -> Decimal | None:
    return PEG if all(LOWEST_PEG <= price <= HIGHEST_PEG for price in fresh) else None
