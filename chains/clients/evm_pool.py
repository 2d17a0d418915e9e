"""The endpoints of one EVM chain: asked one after the other until one answers, within a bounded time."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from chains.clients.evm_endpoint import Endpoint, EndpointFault, Node
from chains.errors import ChainUnavailable
from chains.registry import Chain

T = TypeVar("T")
MOST_SECONDS = 12
"""For one question with all its tries. Why: below a worker's lease."""
ROUNDS = 3
BACK_OFF_SECONDS = 0.2
LAG_SECONDS = 30
FEWEST_LAG_BLOCKS = 3


class Pool:
    """Every endpoint of one chain."""

    def __init__(self, known: Chain, urls: Sequence[str], *, refuse_play_networks: bool) -> None:
        self.chain = known
        self._endpoints = [Endpoint(known, url, refuse_play_networks=refuse_play_networks) for url in urls]

    def ask(self, question: Callable[[Node], T], least_head: int = 0) -> T:
        """The answer of the first endpoint that has one; the whole question goes to one and the same.

        ``least_head`` refuses nodes that are known to lag. Raises: ChainUnavailable.
        """
        ends_at = time.monotonic() + MOST_SECONDS
        for turn in range(ROUNDS):
            for endpoint in self._open_endpoints():
                if time.monotonic() >= ends_at:
                    break
                self._hear_others(endpoint)
                try:
                    return endpoint.ask(question, max(least_head, self._least_head_beside(endpoint)))
                except EndpointFault:
                    continue
            if not self._open_endpoints() or time.monotonic() >= ends_at:
                break
            time.sleep(BACK_OFF_SECONDS * 2**turn)
        raise ChainUnavailable(self.chain.name)

    def _open_endpoints(self) -> list[Endpoint]:
        """Those that may be asked, the soundest first."""
        return sorted((endpoint for endpoint in self._endpoints if endpoint.is_open()), key=lambda one: one.faults)

    def _hear_others(self, endpoint: Endpoint) -> None:
        """Ask the others now and then how far the chain is. Why: one that lags shows old balances as new."""
        for other in self._open_endpoints():
            if other is not endpoint and not other.has_news():
                with suppress(EndpointFault):
                    other.ask(_head_of, 0)

    def _least_head_beside(self, endpoint: Endpoint) -> int:
        """How far the other endpoints say that the chain is, less the lag that is normal."""
        others = [other.head for other in self._endpoints if other is not endpoint and other.faults == 0]
        blocks = int(LAG_SECONDS / self.chain.block_seconds)
        return max(others, default=0) - max(blocks, FEWEST_LAG_BLOCKS)


def _head_of(node: Node) -> int:
    return node.head
