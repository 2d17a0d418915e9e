"""What a real wallet holds, as the chain says."""

from chains.clients.registry import EVM
from chains.registry import Family, chain
from core.money import BaseUnits
from payments.routing.assets import live_usd_price
from payments.routing.base import Asset, Holding, PaymentGoal
from tokens.models import Token
from tokens.selectors import tokens_on


def look_on_chain(family: Family, address: str, goal: PaymentGoal) -> list[Holding]:
    """What a wallet holds of the listed tokens on the settlement chain; nothing where no node is configured.

    Why there alone: no provider of live mode leads from anywhere else yet.
    Raises: ChainUnavailable. Called outside any database transaction.
    """
    known = chain(goal.destination.chain)
    if known is None or known.family is not family or family is not Family.EVM or not EVM.reaches(known.name):
        return []
    listed = list(tokens_on(known.name).filter(verified=True))
    held = EVM.balances(known.name, address, [token.address for token in listed if not token.is_native])
    return [_holding(token, held[token.address]) for token in listed if token.address in held]


def _holding(token: Token, units: BaseUnits) -> Holding:
    asset = Asset(
        chain=token.chain,
        address=token.address,
        symbol=token.symbol,
        name=token.name,
        decimals=token.decimals,
        usd_price=live_usd_price(token),
    )
    return Holding(asset=asset, base_units=units)
