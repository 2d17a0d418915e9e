"""The EVM chains as live mode reads them: through the endpoints that the settings name, or not at all."""

import time
from collections.abc import Iterable
from functools import partial

from django.conf import settings

from chains.clients.base import Arrival, Departure, IssuedLeg, LegView
from chains.clients.evm_balances import read_balances
from chains.clients.evm_bridges import arrival_at, departure_of
from chains.clients.evm_endpoint import Node
from chains.clients.evm_pool import Pool
from chains.clients.evm_transfers import look_at
from chains.errors import ChainUnavailable
from chains.registry import chain as chain_named
from core.money import BaseUnits

MAINNET = "mainnet"
GAS_PRICE_FRESH_SECONDS = 5
"""Why kept at all: every token of a wallet's list asks."""


class EvmChains:
    """``chains.clients.live.FamilyClient`` over real nodes, and what a wallet's page asks besides.

    Every method goes over the network: no transaction may be open. Raises: ChainUnavailable from each.
    """

    def __init__(self) -> None:
        self._pools: dict[str, Pool] = {}
        self._gas_prices: dict[str, tuple[float, BaseUnits]] = {}

    def reaches(self, chain: str) -> bool:
        """Whether there is an endpoint for this chain."""
        return bool(settings.RPC_URLS.get(chain))

    def head(self, chain: str) -> int:
        """The number of the newest block."""
        return self._pool(chain).ask(_head_of)

    def look(self, leg: IssuedLeg) -> LegView:
        """What became of a leg that begins and ends on one chain."""
        return self._pool(leg.to_chain).ask(partial(look_at, leg=leg), leg.least_head)

    def departure(self, leg: IssuedLeg) -> Departure:
        """The payer's side of a leg that ends on another chain."""
        return self._pool(leg.chain).ask(partial(departure_of, leg=leg), leg.start_block or 0)

    def arrival(self, leg: IssuedLeg, order_id: str) -> Arrival:
        """The merchant's side of a leg that began on another chain."""
        return self._pool(leg.to_chain).ask(partial(arrival_at, leg=leg, order_id=order_id), leg.least_head)

    def balances(self, chain: str, owner: str, tokens: Iterable[str]) -> dict[str, BaseUnits]:
        """What an address holds of these token contracts and of the native coin."""
        return self._pool(chain).ask(partial(read_balances, owner=owner, tokens=list(tokens)))

    def gas_price(self, chain: str) -> BaseUnits:
        """What a unit of gas costs now or did a moment ago, in the native coin's base units."""
        known = self._gas_prices.get(chain)
        if known is None or time.monotonic() - known[0] > GAS_PRICE_FRESH_SECONDS:
            known = self._gas_prices[chain] = (time.monotonic(), self._pool(chain).ask(_gas_price_of))
        return known[1]

    def forget(self) -> None:
        """Start anew with the settings as they are."""
        self._pools.clear()
        self._gas_prices.clear()

    def _pool(self, chain: str) -> Pool:
        if chain not in self._pools:
            known, urls = chain_named(chain), settings.RPC_URLS.get(chain)
            if known is None or not urls:
                raise ChainUnavailable(chain)
            is_real = settings.NETWORK_PROFILE == MAINNET
            self._pools[chain] = Pool(known, urls, refuse_play_networks=is_real)
        return self._pools[chain]


def _head_of(node: Node) -> int:
    return node.head


def _gas_price_of(node: Node) -> BaseUnits:
    return BaseUnits(int(node.web3.eth.gas_price))
