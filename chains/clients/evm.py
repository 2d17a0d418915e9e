"""The EVM chains as live mode reads them: through the endpoints that the settings name, or not at all."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from chains.clients.agreement import Testimony, same_word
from chains.clients.allowance import BudgetSpent
from chains.clients.base import Arrival, Departure, IssuedLeg, LegView
from chains.clients.evm_authorizations import is_used, is_void, read_domain_separator, would_take
from chains.clients.evm_balances import read_balances
from chains.clients.evm_bridges import arrival_at, departure_of
from chains.clients.evm_endpoint import EvmEndpoint, Node
from chains.clients.evm_fees import FRESH_SECONDS, Answers, data_fee_of, gas_price_of
from chains.clients.evm_simulation import Simulation, TriedCall, Watched, read_allowance, simulate_calls
from chains.clients.evm_transfers import look_at
from chains.clients.evm_wallets import WalletQuestion, WalletWord, is_taken
from chains.clients.heads import Heads
from chains.clients.pool import NodeChains
from chains.clients.second_node import (
    asked_again,
    departure_with_second,
    look_with_second,
    says_all,
    second_opinion,
    whole,
    without,
)
from chains.errors import ChainUnavailable
from chains.registry import Chain
from chains.registry import chain as chain_named
from core.money import BaseUnits

MOST_SECONDS_FOR_A_FEE = 3
"""For what a quote can do without."""
_LOGGER = logging.getLogger("causeway.chains")


class EvmChains(NodeChains[Node]):
    """``chains.clients.live.FamilyClient`` over real nodes, and what a wallet's page asks besides."""

    def __init__(self) -> None:
        super().__init__()
        self._gas_prices: dict[str, tuple[int, BaseUnits]] = {}
        self._data_fees = Answers()

    def forget(self) -> None:
        """Start anew with the settings as they are."""
        super().forget()
        self._gas_prices.clear()
        self._data_fees.clear()

    def look(self, leg: IssuedLeg) -> LegView:
        """What became of a leg that begins and ends on one chain."""
        return look_with_second(self._pool(leg.to_chain), leg, look_at)

    def departure(self, leg: IssuedLeg) -> Departure:
        """The payer's side of a leg that ends on another chain."""
        return departure_with_second(self._pool(leg.chain), leg, departure_of)

    def arrival(self, leg: IssuedLeg, order_id: str) -> Arrival:
        """The merchant's side of a leg that began on another chain."""
        pool = self._pool(leg.to_chain)
        look = partial(arrival_at, leg=leg, order_id=order_id)
        found, endpoint = pool.ask_one(look, leg.least_head, says_all)
        if found.is_void and pool.has_second:
            other = pool.ask_second(look, endpoint)
            return replace(found, is_void=other is not None and other.is_void)
        testimony = Testimony(head=0, transfers=found.transfers)
        asked = without(leg, found.unseen)
        repeated = asked_again(asked, testimony)
        sure = second_opinion(
            pool,
            endpoint,
            asked,
            testimony,
            lambda node: Testimony(head=node.head, transfers=whole(arrival_at(node, repeated, order_id)).transfers),
        )
        return replace(found, transfers=sure.transfers)

    def balances(self, chain: str, owner: str, tokens: Iterable[str]) -> dict[str, BaseUnits]:
        """What an address holds of these token contracts and of the native coin."""
        return self._pool(chain).ask(partial(read_balances, owner=owner, tokens=list(tokens)))

    def gas_price(self, chain: str) -> BaseUnits:
        """What a unit of gas costs now or did a moment ago, in the native coin's base units."""
        known = self._gas_prices.get(chain)
        if known is None or time.monotonic() - known[0] > FRESH_SECONDS:
            known = self._gas_prices[chain] = (int(time.monotonic()), self._pool(chain).ask(gas_price_of))
        return known[1]

    def data_fee(self, chain: str, size: int) -> BaseUnits:
        """What the chain takes for a transaction's bytes beside its gas; 0 where it takes nothing, or cannot say."""
        known = chain_named(chain)
        if known is None or known.data_fee is None:
            return BaseUnits(0)
        question = partial(data_fee_of, kind=known.data_fee, size=size)
        return self._data_fees.get((known.name, size), partial(self._soon_answered, known.name, question))

    def _soon_answered(self, chain: str, question: Callable[[Node], BaseUnits]) -> BaseUnits | None:
        """An answer that can be done without; None where nobody has it soon."""
        try:
            return self._pool(chain).ask_one(question, most_seconds=MOST_SECONDS_FOR_A_FEE)[0]
        except ChainUnavailable:
            _LOGGER.warning("data_fee_unknown %s: it is left out of the network fee", chain)
            return None

    def allowance(self, chain: str, token: str, owner: str, spender: str) -> BaseUnits:
        """How much of an owner's tokens a contract may take."""
        return self._pool(chain).ask(partial(read_allowance, token=token, owner=owner, spender=spender))

    def simulate(self, chain: str, calls: Sequence[TriedCall], watched: Watched) -> Simulation:
        """What would happen if these calls were sent now, in this order."""
        return self._pool(chain).ask(partial(simulate_calls, calls=calls, watched=watched))

    def domain_separator(self, chain: str, token: str) -> str:
        """What a token's EIP-712 signatures are bound to; empty where it does not say."""
        return self._pool(chain).ask(partial(read_domain_separator, token=token))

    def is_used(self, chain: str, token: str, holder: str, nonce: str) -> bool:
        """Whether a token took an EIP-3009 authorization."""
        return self._pool(chain).ask(partial(is_used, token=token, holder=holder, nonce=nonce))

    def would_take(self, chain: str, token: str, sender: str, calldata: str) -> bool:
        """Whether a token would do what a call asks, if it were sent now."""
        return self._pool(chain).ask(partial(would_take, token=token, sender=sender, calldata=calldata))

    def is_void(self, chain: str, token: str, holder: str, nonce: str, valid_before: int) -> bool:  # noqa: PLR0913, PLR0917 - as the token asks
        """Whether an EIP-3009 authorization can never be used any more, by every node there is to ask."""
        pool = self._pool(chain)
        look = partial(is_void, token=token, holder=holder, nonce=nonce, valid_before=valid_before)
        answer, endpoint = pool.ask_one(look)
        return answer and (not pool.has_second or pool.ask_second(look, endpoint) is True)

    def wallet_word(self, chain: str, asked: WalletQuestion) -> WalletWord:
        """Whether a wallet that is a contract takes a signature for its own, by every node there is to ask."""
        look = partial(is_taken, asked=asked)
        try:
            pool = self._pool(chain)
            answer, endpoint = pool.ask_one(look, most_seconds=asked.seconds)
        except BudgetSpent:
            raise
        except ChainUnavailable:
            return WalletWord.UNSAID
        if pool.has_second and not same_word(pool.chain, asked.wallet, answer, pool.ask_second(look, endpoint)):
            return WalletWord.UNSAID
        return WalletWord.YES if answer else WalletWord.NO

    def _endpoint(self, known: Chain, url: str, heads: Heads, *, refuse_play_networks: bool) -> EvmEndpoint:
        return EvmEndpoint(known, url, heads, refuse_play_networks=refuse_play_networks)
