"""One RPC endpoint of Solana.

Why plain JSON-RPC over a kept session, and not the ``solana`` package: its only client is asynchronous, so every
question would need an event loop of its own and a new connection; its typed answers fail on a node's garbage deep
inside compiled code; and twelve methods are all that is needed. Keys, messages and signatures are read by solders.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from chains.clients.channel import Channel
from chains.clients.endpoints import ChainNode, Endpoint
from chains.clients.outcomes import CannotSay, WrongChain, refusal_of
from chains.clients.pins import accepts_first_block

CONFIRMED, FINALIZED = "confirmed", "finalized"
MAINNET_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"


class Rpc:
    """Questions to one address."""

    def __init__(self, url: str) -> None:
        self._channel, self._ids, self._takes_several = Channel(url), count(1), True

    def call(self, method: str, *parameters: Any) -> Any:
        """The result of a method. Raises: RpcRefusal and all that ``Channel.exchange`` raises."""
        number = next(self._ids)
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        answer = self._channel.exchange(json.dumps(body).encode(), number)
        if answer.get("error") is not None:
            raise refusal_of(answer["error"])
        return answer["result"]

    def call_each(self, method: str, parameters: Sequence[Sequence[Any]]) -> list[Any]:
        """The result of a method for each of these parameters, or the refusal of that one, asked all at once.

        One by one of a node that does not take several. Raises: all that ``Channel.exchange`` raises.
        """
        if self._takes_several and len(parameters) > 1:
            try:
                return self._at_once(method, parameters)
            except CannotSay:
                self._takes_several = False
        return [self._call_or_refusal(method, one) for one in parameters]

    def _at_once(self, method: str, parameters: Sequence[Sequence[Any]]) -> list[Any]:
        numbers = [next(self._ids) for _ in parameters]
        asked = zip(numbers, parameters, strict=True)
        body = [{"jsonrpc": "2.0", "id": number, "method": method, "params": list(one)} for number, one in asked]
        answers = self._channel.exchange_all(json.dumps(body).encode(), numbers)
        return [one["result"] if one.get("error") is None else refusal_of(one["error"]) for one in answers]

    def _call_or_refusal(self, method: str, parameters: Sequence[Any]) -> Any:
        try:
            return self.call(method, *parameters)
        except CannotSay as refusal:
            return refusal

    def number(self, method: str, *parameters: Any) -> int:
        """As ``call``, where only a whole number is an answer."""
        return whole(self.call(method, *parameters))

    def value(self, method: str, *parameters: Any) -> Any:
        """As ``call``, where the answer stands beside the slot it is from."""
        return self.call(method, *parameters)["value"]


@dataclass(kw_only=True)
class SolanaNode(ChainNode):
    """A node of Solana; its head is the newest slot that the cluster confirmed."""

    rpc: Rpc

    def _read_finalized(self) -> int:
        return self.rpc.number("getSlot", {"commitment": FINALIZED})


class SolanaEndpoint(Endpoint[SolanaNode]):
    """An endpoint that speaks to a Solana node."""

    _connection: Rpc | None = None

    def _reach(self) -> SolanaNode:
        rpc = self._rpc()
        return SolanaNode(rpc=rpc, chain=self.chain, head=rpc.number("getSlot", {"commitment": CONFIRMED}))

    def _stands(self, node: SolanaNode) -> bool:
        """By asking for a height that is no older: who is not there refuses."""
        node.rpc.number("getBlockHeight", {"commitment": CONFIRMED, "minContextSlot": node.head})
        return True

    def _assert_chain(self) -> None:
        genesis = str(self._rpc().call("getGenesisHash"))
        if self._refuse_play_networks and genesis != MAINNET_GENESIS:
            raise WrongChain("not the main network")
        if not accepts_first_block(self.chain.name, genesis):
            raise WrongChain("another first block")

    def _rpc(self) -> Rpc:
        if self._connection is None:
            self._connection = Rpc(self._url)
        return self._connection


def whole(answer: Any) -> int:
    """A whole number that is not negative. Raises: ValueError for everything else, true and false among it."""
    if type(answer) is not int or answer < 0:
        raise ValueError("not a whole number")
    return answer
