"""One RPC endpoint of one EVM chain.

Why imports inside functions: web3 takes seconds to load, and most processes never need it.
"""

import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chains.clients.channel import Channel
from chains.clients.endpoints import ChainNode, Endpoint
from chains.clients.outcomes import WrongChain
from chains.clients.pins import accepts_first_block

if TYPE_CHECKING:
    from web3 import Web3

PLAY_NETWORKS = ("anvil", "hardhat", "ganache")
"""How the programs call themselves that make blocks for developers."""


@dataclass(kw_only=True)
class Node(ChainNode):
    """A node of an EVM chain."""

    web3: "Web3"
    _blocks: dict[int, Any] = field(default_factory=dict)

    def block(self, number: int) -> Any:
        """A block without what is in it, asked for once in a look."""
        if number not in self._blocks:
            self._blocks[number] = self.web3.eth.get_block(number)
        return self._blocks[number]

    def _read_finalized(self) -> int:
        return int(self.web3.eth.get_block("finalized")["number"])

    def _read_safe(self) -> int:
        return int(self.web3.eth.get_block("safe")["number"])


class EvmEndpoint(Endpoint[Node]):
    """An endpoint that speaks to an EVM node."""

    _connection: "Web3 | None" = None

    def _reach(self) -> Node:
        web3 = self._web3()
        return Node(web3=web3, chain=self.chain, head=int(web3.eth.block_number))

    def _stands(self, node: Node) -> bool:
        return int(node.web3.eth.get_block(node.head)["number"]) == node.head

    def _assert_chain(self) -> None:
        web3 = self._web3()
        if web3.eth.chain_id != self.chain.chain_id:
            raise WrongChain("another chain id")
        if self._refuse_play_networks and web3.client_version.lower().startswith(PLAY_NETWORKS):
            raise WrongChain("a developer's network")
        first_block = web3.eth.get_block(0)
        if not accepts_first_block(self.chain.name, "0x" + bytes(first_block["hash"]).hex()):
            raise WrongChain("another first block")

    def _web3(self) -> "Web3":
        if self._connection is None:
            self._connection = _connect(self._url)
        return self._connection


def _connect(url: str) -> "Web3":
    """A connection over our own channel. Why no retries inside: the pool asks another endpoint instead.

    Why the limit is put back: a library behind web3 raises it so far that a deep answer would end the process.
    """
    limit = sys.getrecursionlimit()
    from web3 import Web3  # noqa: PLC0415  (slow import, see module)
    from web3.middleware import ExtraDataToPOAMiddleware  # noqa: PLC0415  (slow import, see module)
    from web3.providers.base import JSONBaseProvider  # noqa: PLC0415  (slow import, see module)

    sys.setrecursionlimit(limit)
    channel = Channel(url)

    class Provider(JSONBaseProvider):
        """What the library speaks through."""

        def make_request(self, method: Any, params: Any) -> Any:
            """The whole answer, as the channel reads it."""
            body = self.encode_rpc_request(method, params)
            return channel.exchange(body, json.loads(body)["id"])

    web3 = Web3(Provider())
    web3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)  # Polygon's and BNB's blocks
    return web3
