"""Assets in figures: which one settles, what so many base units are worth, how many base units a value takes.

Values are exact fractions until somebody rounds them by name.
"""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from core.modes import Mode
from core.money import BaseUnits, UsdAmount, usd_from_micros
from payments.routing.base import Asset
from tokens.models import Token
from tokens.selectors import (
    find_token,
    last_usd_prices,
    settlement_token,
    settlement_usd_price,
    settlement_usd_price_at,
    simulated_usd_price,
    usd_price,
)
from tokens.services import price_held

ASSUMED_DECIMALS = 6
"""Of a token that only test mode knows. Source: specification, Test mode (any combination is accepted)."""
UNKNOWN_PRICE = Decimal(0)
_MICROS = 1_000_000

AssetKey = tuple[str, str]


def key_of(asset: Asset) -> AssetKey:
    """What an asset is known by: its chain and its address there."""
    return asset.chain, asset.address


def settlement_asset(mode: Mode, chain: str, token: str) -> Asset | None:
    """The asset that chain and symbol name; None for a live pair that is not allowed.

    Test mode assumes what it does not know: the symbol for an address, six decimals, one dollar.
    A live token without enough fresh prices has ``UNKNOWN_PRICE``, and nothing can be quoted in it.
    """
    known = settlement_token(chain, token)
    if known is None:
        return None if mode == Mode.LIVE else assumed_asset(chain, token)
    price = live_settlement_price(known) if mode == Mode.LIVE else simulated_usd_price(known.symbol)
    return Asset(
        chain=known.chain,
        address=known.address,
        symbol=known.symbol,
        name=known.name,
        decimals=known.decimals,
        usd_price=price,
    )


def priced_now(mode: Mode, asset: Asset) -> Asset:
    """The same asset at the price of this moment; ``UNKNOWN_PRICE`` where live mode finds none.

    Called outside any database transaction.
    """
    if mode == Mode.TEST:
        return replace(asset, usd_price=simulated_usd_price(asset.symbol))
    listed = find_token(asset.chain, asset.address)
    if listed is None:
        return replace(asset, usd_price=UNKNOWN_PRICE)
    price_held([listed])
    return replace(asset, usd_price=live_usd_price(listed))


def live_usd_price(token: Token) -> Decimal:
    """Dollars for one whole token that somebody pays with; ``UNKNOWN_PRICE`` without a fresh price.

    Also for the coin of a network fee. One source is enough. Source: docs/adr/0012.
    """
    return usd_price(token) or UNKNOWN_PRICE


def live_settlement_price(token: Token) -> Decimal:
    """Dollars for one whole token that the merchant is paid in; ``UNKNOWN_PRICE`` unless enough fresh prices agree.

    Source: docs/guides/tokens.md, Prices.
    """
    return settlement_usd_price(token) or UNKNOWN_PRICE


def price_of_block(mode: Mode, key: AssetKey, moment: datetime, frozen: Decimal) -> Decimal | None:
    """Dollars for one whole token at the moment of a block; None for one whose price does not move.

    Where no price of about then is known: the lowest of the frozen one and the last ones known.
    """
    token = find_token(*key)
    if token is None or token.is_usd_stablecoin:
        return None
    if mode == Mode.TEST:
        return simulated_usd_price(token.symbol)
    return settlement_usd_price_at(token, moment) or min([frozen, *last_usd_prices(token)])


def assumed_asset(chain: str, token: str) -> Asset:
    """What test mode takes a token for that is on no list."""
    return Asset(
        chain=chain,
        address=token,
        symbol=token,
        name=token,
        decimals=ASSUMED_DECIMALS,
        usd_price=simulated_usd_price(token),
    )


def target_base_units(asset: Asset, amount_usd: Decimal) -> BaseUnits:
    """So many base units that they are worth at least the amount: rounded up.

    Raises: ValueError if the asset has no price.
    """
    return units_worth(asset, Fraction(amount_usd))


def units_worth(asset: Asset, value_usd: Fraction) -> BaseUnits:
    """The fewest base units that are worth at least this value. Raises: ValueError if the asset has no price."""
    if asset.usd_price <= 0:
        raise ValueError(f"{asset.symbol} on {asset.chain} has no price")
    return ceiling(value_usd * _one_whole(asset) / Fraction(asset.usd_price))


def value_usd(asset: Asset, units: int) -> Fraction:
    """What so many base units are worth, exactly."""
    return units * Fraction(asset.usd_price) / _one_whole(asset)


def ceiling(exact: Fraction) -> BaseUnits:
    """The next whole number of base units that is not smaller."""
    return BaseUnits(-(-exact.numerator // exact.denominator))


def dollars_up(exact: Fraction) -> UsdAmount:
    """Micro-dollars, away from zero: for what somebody pays."""
    return usd_from_micros(ceiling(exact * _MICROS))


def dollars_down(exact: Fraction) -> UsdAmount:
    """Micro-dollars, cut: for what somebody receives."""
    return usd_from_micros(int(exact * _MICROS))


def _one_whole(asset: Asset) -> int:
    return int(10**asset.decimals)
