"""One RPC endpoint of one EVM chain: believed only after it named the right chain, and left alone when it fails.

Why imports inside functions: web3 takes seconds to load, and most processes never need it.
"""

import logging
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from chains.clients.pins import accepts_first_block
from chains.registry import Chain

if TYPE_CHECKING:
    from web3 import Web3

T = TypeVar("T")
CONNECT_TIMEOUT = 2
READ_TIMEOUT = 4
ASSERTED_FOR_SECONDS = 60
"""How long an endpoint's word on its chain is taken; a fault ends it at once."""
HEAD_FRESH_SECONDS = 20
FAULTS_TO_OPEN = 3
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 2, 60
WRONG_CHAIN_PAUSE_SECONDS = 60
PLAY_NETWORKS = ("anvil", "hardhat", "ganache")
"""How the programs call themselves that make blocks for developers."""
_TOO_MANY_REQUESTS = 429
_LOGGER = logging.getLogger("causeway.chains")


class EndpointFault(Exception):
    """This endpoint gave no usable answer; another one may. ``reason`` never holds its address, which may be secret."""

    def __init__(self, reason: str, pause_seconds: int = 0) -> None:
        self.reason, self.pause_seconds = reason, pause_seconds
        super().__init__(reason)


@dataclass(kw_only=True)
class Node:
    """An endpoint that proved to be on the right chain, at its height. All of one look is asked of one node."""

    web3: "Web3"
    chain: Chain
    head: int
    _finalized: int | None = field(default=None)

    def depth(self, block_number: int) -> int:
        """How deep a block stands, kept below the required number until the chain itself calls it final, where it does.

        Source: chains, Chains (settle policy).
        """
        deep, required = max(self.head - block_number, 0), self.chain.confirmations_required
        if not self.chain.settles_at_finalized:
            return deep
        return max(deep, required) if block_number <= self._finalized_block() else min(deep, required - 1)

    def _finalized_block(self) -> int:
        if self._finalized is None:
            self._finalized = int(self.web3.eth.get_block("finalized")["number"])
        return self._finalized


class Endpoint:
    """One address, its circuit breaker, and what it last said of its chain."""

    def __init__(self, known: Chain, url: str, *, refuse_play_networks: bool) -> None:
        self.chain = known
        self.name = urlsplit(url).hostname or "endpoint"
        self.faults = 0
        self.head, self._head_at = 0, -math.inf
        self._url = url
        self._refuse_play_networks = refuse_play_networks
        self._closed_until = -math.inf
        self._asserted_at = -math.inf
        self._web3: Web3 | None = None

    def is_open(self) -> bool:
        """Whether it may be asked now."""
        return time.monotonic() >= self._closed_until

    def has_news(self) -> bool:
        """Whether its word on the height of the chain is recent."""
        return time.monotonic() - self._head_at < HEAD_FRESH_SECONDS

    def ask(self, question: Callable[[Node], T], least_head: int) -> T:
        """Put a question to it.

        Raises: EndpointFault. Why so broad a catch: garbage from a node fails in any way inside the library.
        """
        try:
            answer = question(self._node(least_head))
        except EndpointFault as fault:
            self._note(fault)
            raise
        except Exception as error:
            found = _fault_of(error)
            self._note(found)
            raise found from None
        self.faults = 0
        return answer

    def _node(self, least_head: int) -> Node:
        if self._web3 is None:
            self._web3 = _connect(self._url)
        if time.monotonic() - self._asserted_at > ASSERTED_FOR_SECONDS:
            self._assert_chain(self._web3)
        head = int(self._web3.eth.block_number)
        self.head, self._head_at = head, time.monotonic()
        if head < least_head:
            raise EndpointFault("behind the head of the chain")
        return Node(web3=self._web3, chain=self.chain, head=head)

    def _assert_chain(self, web3: "Web3") -> None:
        """Raises: EndpointFault. Why: money on another chain, or on a developer's own, must never count here."""
        if web3.eth.chain_id != self.chain.chain_id:
            raise EndpointFault("another chain id", WRONG_CHAIN_PAUSE_SECONDS)
        if self._refuse_play_networks and web3.client_version.lower().startswith(PLAY_NETWORKS):
            raise EndpointFault("a developer's network", WRONG_CHAIN_PAUSE_SECONDS)
        first_block = web3.eth.get_block(0)
        if not accepts_first_block(self.chain.name, "0x" + bytes(first_block["hash"]).hex()):
            raise EndpointFault("another first block", WRONG_CHAIN_PAUSE_SECONDS)
        self._asserted_at = time.monotonic()

    def _note(self, fault: EndpointFault) -> None:
        self.faults += 1
        self._asserted_at = -math.inf
        pause = fault.pause_seconds
        if self.faults >= FAULTS_TO_OPEN:
            doubled = SHORTEST_PAUSE_SECONDS * 2 ** min(self.faults - FAULTS_TO_OPEN, 8)
            pause = max(pause, min(doubled, LONGEST_PAUSE_SECONDS))
        self._closed_until = time.monotonic() + pause
        _LOGGER.warning("%s endpoint %s: %s (fault %d)", self.chain.name, self.name, fault.reason, self.faults)


def _connect(url: str) -> "Web3":
    """A connection kept alive per thread. Why no retries inside: the pool asks another endpoint instead.

    Why the limit is put back: a library behind web3 raises it so far that a deep answer would end the process.
    """
    limit = sys.getrecursionlimit()
    from web3 import HTTPProvider, Web3  # noqa: PLC0415  (slow import, see module)
    from web3.middleware import ExtraDataToPOAMiddleware  # noqa: PLC0415  (slow import, see module)

    sys.setrecursionlimit(limit)
    timeouts = {"timeout": (CONNECT_TIMEOUT, READ_TIMEOUT)}
    web3 = Web3(HTTPProvider(url, request_kwargs=timeouts, exception_retry_configuration=None))
    web3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)  # Polygon's and BNB's blocks
    return web3


def _fault_of(error: Exception) -> EndpointFault:
    """The fault behind an error of the library, by its kind alone: its text may hold the address."""
    response: Any = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status != _TOO_MANY_REQUESTS:
        return EndpointFault(type(error).__name__ if status is None else f"HTTP {status}")
    asked = str(response.headers.get("Retry-After", ""))
    wait = int(asked) if asked.isascii() and asked.isdigit() else SHORTEST_PAUSE_SECONDS
    return EndpointFault("HTTP 429", min(max(wait, 1), LONGEST_PAUSE_SECONDS))
