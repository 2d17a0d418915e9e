"""What a real wallet holds, as its chains say."""

import logging
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.db.models import prefetch_related_objects

from chains.clients.allowance import BudgetSpent
from chains.clients.pins import pins_held
from chains.clients.registry import WALLETS
from chains.errors import ChainUnavailable
from chains.registry import CHAINS, Family
from core.money import BaseUnits
from payments.routing.assets import live_usd_price
from payments.routing.base import Asset, Holding, PaymentGoal
from tokens.models import Token
from tokens.selectors import tokens_on
from tokens.services import price_held

PATIENCE_SECONDS = 5
"""For all chains of a wallet together. Why: four wallets of an intent, and its tries, must fit into one lease."""
READERS_OF_A_CHAIN = 2
Balances = Mapping[str, BaseUnits]
_LOGGER = logging.getLogger("causeway.payments")


@dataclass(frozen=True, kw_only=True)
class BalanceReading:
    """What was seen of a wallet, and the chains that did not say in time what it holds there."""

    holdings: list[Holding]
    unread: tuple[str, ...] = ()


def look_on_chain(family: Family, address: str, goal: PaymentGoal) -> BalanceReading:
    """What a wallet holds of the listed tokens, on every chain from which a route may lead to the merchant.

    The chains are asked side by side, for so many seconds in all: one that is silent holds up neither the others nor
    other wallets. What it holds there is unknown, so that the rest can still pay.
    Raises: ChainUnavailable where all are, BudgetSpent where no more may be asked for this payment or its merchant.
    Called outside any database transaction.
    """
    # Where there is a node to follow a payment with, and somebody who could carry it.
    asked = [
        known
        for known in CHAINS
        if known.family is family
        and WALLETS[family].reaches(known.name)
        and (known.name == goal.destination.chain or settings.LIFI_URL)
    ]
    listed = {known.name: list(tokens_on(known.name).filter(verified=True)) for known in asked}
    with pins_held():  # the threads must not touch the database: what is listed was read before
        reading = {
            name: _reader(name).submit(
                copy_context().run,
                WALLETS[family].balances,
                name,
                address,
                [token.address for token in tokens if not token.is_native],
            )
            for name, tokens in listed.items()
        }
        wait(reading.values(), timeout=PATIENCE_SECONDS)
    found = {name: _answer(name, future) for name, future in reading.items()}
    unread = {name: held for name, held in found.items() if isinstance(held, ChainUnavailable)}
    if unread:
        reasons = ", ".join(f"{name} ({error.reason})" for name, error in unread.items())
        _LOGGER.warning("balances cannot be read now: %s", reasons)
    if unread and len(unread) == len(asked):
        raise next((error for error in unread.values() if isinstance(error, BudgetSpent)), [*unread.values()][0])
    held = [
        (token, units[token.address])
        for name, units in found.items()
        for token in listed[name]
        if not isinstance(units, ChainUnavailable) and token.address in units
    ]
    price_held([token for token, units in held if units])
    prefetch_related_objects([token for token, _ in held], "prices")
    return BalanceReading(holdings=[_holding(token, units) for token, units in held], unread=tuple(unread))


@cache
def _reader(chain_name: str) -> ThreadPoolExecutor:
    """A chain's own few threads. Why its own: a silent chain fills them, and must not fill others'."""
    return ThreadPoolExecutor(max_workers=READERS_OF_A_CHAIN, thread_name_prefix=f"balances-{chain_name}")


def _answer(chain: str, reading: "Future[dict[str, BaseUnits]]") -> Balances | ChainUnavailable:
    """What was read in time, or why it was not. Raises: what is wrong with us."""
    if reading.cancel() or not reading.done():
        return ChainUnavailable(chain)
    try:
        return reading.result()
    except ChainUnavailable as error:
        return error


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
