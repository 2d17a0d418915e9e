"""What a chain takes for a transaction, in dollars, at the price of this moment and with room to spare."""

from fractions import Fraction

from chains.clients.registry import EVM
from chains.registry import Family, chain
from core.money import UsdAmount
from payments.routing.assets import dollars_up, live_usd_price
from tokens.selectors import find_token

GAS_PRICE_MARGIN = Fraction(5, 4)
"""Over the prices of this moment: the payer signs later."""


def network_fee_usd(chain_name: str, gas_units: int, size: int) -> UsdAmount | None:
    """The fee of a transaction on an EVM chain; None while its coin has no price.

    Units: ``gas_units`` of gas, ``size`` in bytes, for which second layers take what they pay to Ethereum. Where nobody
    can say how much that is, it is left out. Raises: ChainUnavailable.
    """
    known = chain(chain_name)
    if known is None or known.family is not Family.EVM or coin_usd(chain_name, 0) is None:
        return None
    units = int(EVM.gas_price(known.name)) * gas_units + int(EVM.data_fee(known.name, size))
    return coin_usd(chain_name, units * GAS_PRICE_MARGIN)


def coin_usd(chain_name: str, units: int | Fraction) -> UsdAmount | None:
    """What so much of a chain's native coin is worth now, rounded up; None while it has no price."""
    known = chain(chain_name)
    coin = None if known is None else find_token(known.name, known.native_address)
    price = None if coin is None else live_usd_price(coin)
    if known is None or not price:
        return None
    return dollars_up(units * Fraction(price) / 10**known.native_decimals)
