"""What a payer's wallet holds. In test mode it is made up, and follows from the wallet's address.

Which wallets are poor, and how, is written in docs/routing.md. Real wallets are read in ``live_balances``.
"""

import hashlib
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from chains.registry import CHAINS, Chain, Family, chain
from core.modes import Mode
from core.money import BaseUnits
from payments.routing.assets import assumed_asset, key_of, value_usd
from payments.routing.base import Asset, Holding, LegKind, PaymentGoal
from payments.routing.live_balances import BalanceReading, look_on_chain
from payments.routing.simulated_tools import gas_usd
from tokens.models import Token
from tokens.selectors import committed_tokens, simulated_usd_price

SPLIT_MARKS = ("5b17", "Sp1it")
"""A wallet whose address ends so needs several transactions: no single balance suffices."""
EMPTY_MARKS = ("0bad", "broke")
"""A wallet whose address ends so can pay nothing."""

LARGE_USD = 1_250_000
"""More than the largest payment with its fees. Source: specification, Limits (1,000,000)."""
HOME_USD = 20_000
"""Of the settlement token itself, where the wallet's family has it."""
ORDINARY_USD = range(40, 4_000)
NATIVE_USD = range(20, 400)
DUST_USD = Fraction(4, 1000)
"""Below the smallest payment."""
LARGE_CHAINS = ("ethereum", "solana")
DUST_CHAINS = ("polygon", "solana")
SPLIT_SHARES = (Fraction(50, 100), Fraction(40, 100), Fraction(35, 100))
"""Of the target: the first three tokens of a wallet that must divide its payment."""
SPLIT_CHAINS = ("base", "arbitrum", "optimism", "solana")
SPLIT_GAS_FACTOR = 4
ASSUMED_SYMBOLS = ("USDC", "USDT", "PYUSD")
"""What a wallet holds on a chain without a token list, so that test mode needs none."""
_CENTS = 100


def look(mode: Mode, family: Family, address: str, goal: PaymentGoal) -> list[Holding]:
    """What a wallet of this family holds, as far as its chains say so now. Raises: as ``look_around``."""
    return look_around(mode, family, address, goal).holdings


def look_around(mode: Mode, family: Family, address: str, goal: PaymentGoal) -> BalanceReading:
    """What a wallet of this family holds, native coins for network fees included, and which chains did not say.

    Made-up wallets know the goal: they hold its token, and some of them not enough.
    Raises: ChainUnavailable, in live mode. Called outside any database transaction.
    """
    if mode == Mode.LIVE:
        return look_on_chain(family, address, goal)
    return BalanceReading(holdings=_made_up(family, address, goal))


def _made_up(family: Family, address: str, goal: PaymentGoal) -> list[Holding]:
    assets = _assets(family)
    known = chain(goal.destination.chain)
    at_home = known is not None and known.family is family
    if at_home and key_of(goal.destination) not in {key_of(asset) for asset in assets}:
        assets = [*assets, goal.destination]
    if _ends(address, EMPTY_MARKS):
        return [_worth(asset, DUST_USD) for asset in assets if _is_native(asset)]
    if _ends(address, SPLIT_MARKS):
        return _split_wallet(assets, value_usd(goal.destination, goal.target_base_units))
    return _ordinary_wallet(assets, address, goal.destination)


def chains_of(family: Family) -> list[Chain]:
    """The chains that one wallet of this family reaches."""
    return [known for known in CHAINS if known.family is family]


def _ends(address: str, marks: Sequence[str]) -> bool:
    """EVM addresses differ in letter case by checksum alone; on Solana the case is part of the address."""
    text = address.lower() if address.startswith("0x") else address
    return text.endswith(tuple(marks))


def _assets(family: Family) -> list[Asset]:
    """The committed list's verified tokens on the family's chains, natives first, made-up ones where it has none.

    Why not every token: what the sources list changes, and test mode does not.
    """
    chains = chains_of(family)
    listed = committed_tokens().filter(chain__in=[known.name for known in chains], verified=True, is_native=False)
    tokens = [_asset(token) for token in listed]
    bare = [known.name for known in chains if known.name not in {asset.chain for asset in tokens}]
    assumed = [assumed_asset(name, symbol) for name in bare for symbol in ASSUMED_SYMBOLS]
    return [_native(known) for known in chains] + tokens + assumed


def _ordinary_wallet(assets: Sequence[Asset], address: str, destination: Asset) -> list[Holding]:
    """Some of everything: enough for any payment in one token, one too small to pay with, the settlement token."""
    by_chain: dict[str, list[Asset]] = {}
    for asset in assets:
        by_chain.setdefault(asset.chain, []).append(asset)
    holdings = []
    for chain_name, own in by_chain.items():
        stable = next((asset for asset in own if asset.symbol == "USDC"), own[0])
        for asset in own:
            if key_of(asset) == key_of(destination):
                worth = Fraction(HOME_USD)
            elif asset is stable and chain_name in LARGE_CHAINS:
                worth = Fraction(LARGE_USD)
            elif asset is own[-1] and chain_name in DUST_CHAINS:
                worth = DUST_USD
            else:
                worth = _some(address, asset)
            holdings.append(_worth(asset, worth))
    return holdings


def _split_wallet(assets: Sequence[Asset], target_usd: Fraction) -> list[Holding]:
    """Three tokens that only together cover the target, and no more native coin than their network fees need."""
    natives = [asset for asset in assets if _is_native(asset) and asset.chain in SPLIT_CHAINS]
    tokens = [asset for asset in assets if not _is_native(asset) and asset.chain in SPLIT_CHAINS]
    tokens.sort(key=lambda asset: (asset.symbol != "USDC", SPLIT_CHAINS.index(asset.chain), key_of(asset)))
    gas = [_worth(asset, SPLIT_GAS_FACTOR * Fraction(gas_usd(asset.chain, LegKind.BRIDGE))) for asset in natives]
    shares = zip(tokens, SPLIT_SHARES, strict=False)
    return gas + [_worth(asset, target_usd * share) for asset, share in shares]


def _some(address: str, asset: Asset) -> Fraction:
    """A value between the bounds, to the cent, that follows from wallet and token."""
    bounds = NATIVE_USD if _is_native(asset) else ORDINARY_USD
    seed = "|".join((address.lower() if address.startswith("0x") else address, *key_of(asset)))
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8])
    return bounds.start + Fraction(number % ((bounds.stop - bounds.start) * _CENTS), _CENTS)


def _worth(asset: Asset, worth: Fraction) -> Holding:
    """A holding of this value, cut to whole base units."""
    return Holding(asset=asset, base_units=BaseUnits(int(worth / value_usd(asset, 1))))


def _is_native(asset: Asset) -> bool:
    known = chain(asset.chain)
    return known is not None and asset.address == known.native_address


def _asset(token: Token) -> Asset:
    return Asset(
        chain=token.chain,
        address=token.address,
        symbol=token.symbol,
        name=token.name,
        decimals=token.decimals,
        usd_price=simulated_usd_price(token.symbol),
    )


def _native(known: Chain) -> Asset:
    return Asset(
        chain=known.name,
        address=known.native_address,
        symbol=known.native_symbol,
        name=known.native_symbol,
        decimals=known.native_decimals,
        usd_price=Decimal(simulated_usd_price(known.native_symbol)),
    )
