"""What is traded on the local network, at what prices, and what a swap at its Dex gives.

The arithmetic is that of contracts/Dex.sol, to the last unit.
"""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path

from localnet.addresses import LIFI_IDS, NATIVE

BUNDLED = Path(__file__).resolve().parent.parent / "tokens/sources/bundled.json"
PRICES = dict.fromkeys(("ETH", "WETH"), "2500") | dict.fromkeys(("POL", "WPOL"), "0.5")
PRICES |= dict.fromkeys(("BNB", "WBNB"), "600") | dict.fromkeys(("SOL", "WSOL"), "150")
"""US dollars for one whole token, by symbol; what is not here is a dollar."""
SCALE = 10**36
"""What one dollar is in the Dex."""
LOWERED = 10**18
BPS = 10_000
DEPTH_USD = 10_000_000
MOST_UNITS = 10**30


@dataclass(frozen=True, kw_only=True)
class Asset:
    """A token on a chain; the native coin under the zero address."""

    chain: str
    address: str
    symbol: str
    name: str
    decimals: int
    verified: bool = True

    @property
    def chain_id(self) -> int:
        """The id of its chain, as LI.FI has it."""
        return LIFI_IDS[self.chain]

    @property
    def is_native(self) -> bool:
        """Whether it is the chain's own coin."""
        return self.address == NATIVE


@cache
def bundled() -> tuple[Asset, ...]:
    """Every token that the service itself knows."""
    names = ("chain", "address", "symbol", "name", "decimals", "verified")
    rows = json.loads(BUNDLED.read_text(encoding="utf-8"))
    return tuple(Asset(**{name: row[name] for name in names}) for row in rows)


@dataclass
class Market:
    """Prices and costs of every Dex. What is changed here reaches a chain by ``DevChain.open_market``."""

    assets: list[Asset] = field(default_factory=lambda: list(bundled()))
    usd: dict[str, Decimal] = field(
        default_factory=lambda: {symbol: Decimal(price) for symbol, price in PRICES.items()}
    )
    depth_usd: int = DEPTH_USD
    fee_bps: int = 5

    def find(self, chain: str, address: str) -> Asset | None:
        """The token at this address."""
        wanted = (chain, address.lower())
        return next((one for one in self.assets if (one.chain, one.address.lower()) == wanted), None)

    def named(self, chain: str, symbol: str) -> Asset | None:
        """The token of this symbol."""
        return next((one for one in self.assets if (one.chain, one.symbol) == (chain, symbol)), None)

    def price(self, asset: Asset) -> Decimal:
        """US dollars for one whole token."""
        return self.usd.get(asset.symbol, Decimal(1))

    def usd_of(self, asset: Asset, units: int) -> str:
        """What so much is worth, as providers write it: four places, rounded to even."""
        return format(self.price(asset) * units / Decimal(10) ** asset.decimals, ".4f")

    def unit_price(self, asset: Asset) -> int:
        """What a base unit costs, as the Dex holds it."""
        return int(self.price(asset) * SCALE) // int(10**asset.decimals)

    @property
    def depth(self) -> int:
        """The depth, as the Dex holds it."""
        return self.depth_usd * SCALE

    def given(self, taken: Asset, wanted: Asset, units: int) -> int:
        """What the Dex gives for so much, rounded down as it rounds."""
        value = units * self.unit_price(taken) * (BPS - self.fee_bps) // BPS
        if self.depth:
            value = value * (self.depth // LOWERED) // ((self.depth + value) // LOWERED + 1)
        return value // self.unit_price(wanted)
