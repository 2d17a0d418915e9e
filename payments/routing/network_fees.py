"""What a chain takes for a transaction, in dollars, at the price of this moment and with room to spare."""

from fractions import Fraction

from chains.clients.registry import EVM
from chains.registry import Family, chain
from core.money import UsdAmount
from payments.routing.assets import dollars_up, live_usd_price
from tokens.selectors import find_token

GAS_PRICE_MARGIN = Fraction(5, 4)
"""Over the price of this moment: the payer signs later."""


def network_fee_usd(chain_name: str, gas_units: int) -> UsdAmount | None:
    """The fee for so many units of gas on an EVM chain; None while its coin has no price.

    The part that second layers pay to Ethereum is not in it. Raises: ChainUnavailable.
    """
    known = chain(chain_name)
    if known is None or known.family is not Family.EVM or coin_usd(chain_name, 0) is None:
        return None
    return coin_usd(chain_name, int(EVM.gas_price(known.name)) * gas_units * GAS_PRICE_MARGIN)


def coin_usd(chain_name: str, units: int | Fraction) -> UsdAmount | None:
    """What so much of a chain's native coin is worth now, rounded up; None while it has no price."""
    known = chain(chain_name)
    coin = None if known is None else find_token(known.name, known.native_address)
    price = None if coin is None else live_usd_price(coin)
    if known is None or not price:
        return None
    return dollars_up(units * Fraction(price) / 10**known.native_decimals)
