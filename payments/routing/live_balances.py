"""What a real wallet holds, as its chains say."""

import logging
from collections.abc import Mapping, Sequence

from django.conf import settings
from django.db.models import prefetch_related_objects

from chains.clients.registry import WALLETS
from chains.errors import ChainUnavailable
from chains.registry import CHAINS, Chain, Family
from core.money import BaseUnits
from payments.routing.assets import live_usd_price
from payments.routing.base import Asset, Holding, PaymentGoal
from tokens.models import Token
from tokens.selectors import tokens_on
from tokens.services import price_held

_LOGGER = logging.getLogger("causeway.payments")


def look_on_chain(family: Family, address: str, goal: PaymentGoal) -> list[Holding]:
    """What a wallet holds of the listed tokens, on every chain from which a route may lead to the merchant.

    A chain that is silent now is left out, so that the others can still pay.
    Raises: ChainUnavailable where all are. Called outside any database transaction.
    """
    asked = [known for known in CHAINS if known.family is family and _may_pay_from(known, goal)]
    found: list[tuple[Token, BaseUnits]] = []
    silent: list[ChainUnavailable] = []
    for known in asked:
        try:
            found += _held(known, address)
        except ChainUnavailable as error:
            _LOGGER.warning("balances on %s cannot be read now", known.name)
            silent.append(error)
    if silent and len(silent) == len(asked):
        raise silent[0]
    price_held([token for token, units in found if units])
    prefetch_related_objects([token for token, _ in found], "prices")
    return [_holding(token, units) for token, units in found]


def _may_pay_from(known: Chain, goal: PaymentGoal) -> bool:
    """Whether there is a node to follow a payment with, and somebody who could carry it."""
    if not WALLETS[known.family].reaches(known.name):
        return False
    return known.name == goal.destination.chain or bool(settings.LIFI_URL)


def _held(known: Chain, address: str) -> list[tuple[Token, BaseUnits]]:
    listed = list(tokens_on(known.name).filter(verified=True))
    held = _read(known, address, listed)
    return [(token, held[token.address]) for token in listed if token.address in held]


def _read(known: Chain, address: str, listed: Sequence[Token]) -> Mapping[str, BaseUnits]:
    return WALLETS[known.family].balances(
        known.name, address, [token.address for token in listed if not token.is_native]
    )


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
