"""One RPC endpoint of one chain: believed only after it proved to be on it, and left alone when it fails.

How a family's nodes are spoken to is in ``evm_endpoint`` and ``solana_endpoint``.
"""

import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from chains.finality import Finality, finality_for
from chains.registry import Chain

CONNECT_TIMEOUT = 2
READ_TIMEOUT = 4
ASSERTED_FOR_SECONDS = 60
"""How long an endpoint's word on its chain is taken; a fault ends it at once."""
HEAD_FRESH_SECONDS = 20
FAULTS_TO_OPEN = 3
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 2, 60
WRONG_CHAIN_PAUSE_SECONDS = 60
_TOO_MANY_REQUESTS = 429
_LOGGER = logging.getLogger("causeway.chains")


class EndpointFault(Exception):
    """This endpoint gave no usable answer; another one may. ``reason`` never holds its address, which may be secret."""

    def __init__(self, reason: str, pause_seconds: int = 0) -> None:
        self.reason, self.pause_seconds = reason, pause_seconds
        super().__init__(reason)


class WrongChain(EndpointFault):
    """It is on another chain than its place in the settings says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, WRONG_CHAIN_PAUSE_SECONDS)


@dataclass(kw_only=True)
class ChainNode(ABC):
    """An endpoint that proved to be on the right chain, at its height. All of one look is asked of one node."""

    chain: Chain
    head: int
    _tagged: dict[Finality, int] = field(default_factory=dict)

    def depth(
        self, block_number: int, at_stake_usd: Decimal | None = None, at_least: Finality = Finality.INCLUDED
    ) -> int:
        """How deep a block stands, kept below the required number until the chain says of it what is asked for.

        Source: chains, Chains (settle policy).
        """
        deep, required = max(self.head - block_number, 0), self.chain.confirmations_required
        wanted = finality_for(self.chain, at_stake_usd, at_least)
        if wanted is Finality.INCLUDED:
            return deep
        return max(deep, required) if block_number <= self.newest(wanted) else min(deep, required - 1)

    def is_finalized(self, block_number: int) -> bool:
        """Whether the chain calls the block final. Not asked of one that is not even deep."""
        deep = self.head - block_number >= self.chain.confirmations_required or self.chain.settles_at_finalized
        return deep and block_number <= self.newest(Finality.FINALIZED)

    def newest(self, tag: Finality) -> int:
        """The newest block of which the chain says this."""
        if tag not in self._tagged:
            self._tagged[tag] = self._read_finalized() if tag is Finality.FINALIZED else self._read_safe()
        return self._tagged[tag]

    @abstractmethod
    def _read_finalized(self) -> int:
        """The newest block that the chain calls final."""

    def _read_safe(self) -> int:
        """The newest block that the chain calls safe; the final one where it has no such word."""
        return self.newest(Finality.FINALIZED)


N = TypeVar("N", bound=ChainNode)
T = TypeVar("T")


class Endpoint(ABC, Generic[N]):
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

    def is_open(self) -> bool:
        """Whether it may be asked now."""
        return time.monotonic() >= self._closed_until

    def has_news(self) -> bool:
        """Whether its word on the height of the chain is recent."""
        return time.monotonic() - self._head_at < HEAD_FRESH_SECONDS

    def ask(self, question: Callable[[N], T], least_head: int) -> T:
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

    def _node(self, least_head: int) -> N:
        if time.monotonic() - self._asserted_at > ASSERTED_FOR_SECONDS:
            self._assert_chain()
            self._asserted_at = time.monotonic()
        node = self._reach()
        self.head, self._head_at = node.head, time.monotonic()
        if node.head < least_head:
            raise EndpointFault("behind the head of the chain")
        return node

    @abstractmethod
    def _assert_chain(self) -> None:
        """Raises: WrongChain. Why: money on another chain, or on a developer's own, must never count here."""

    @abstractmethod
    def _reach(self) -> N:
        """The node with its newest block."""

    def _note(self, fault: EndpointFault) -> None:
        self.faults += 1
        self._asserted_at = -math.inf
        pause = fault.pause_seconds
        if self.faults >= FAULTS_TO_OPEN:
            doubled = SHORTEST_PAUSE_SECONDS * 2 ** min(self.faults - FAULTS_TO_OPEN, 8)
            pause = max(pause, min(doubled, LONGEST_PAUSE_SECONDS))
        self._closed_until = time.monotonic() + pause
        _LOGGER.warning("%s endpoint %s: %s (fault %d)", self.chain.name, self.name, fault.reason, self.faults)


def timeouts() -> tuple[int, int]:
    """Seconds to connect and to read, for every question to a node."""
    return CONNECT_TIMEOUT, READ_TIMEOUT


def _fault_of(error: Exception) -> EndpointFault:
    """The fault behind an error of the library, by its kind alone: its text may hold the address."""
    response: Any = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status != _TOO_MANY_REQUESTS:
        return EndpointFault(type(error).__name__ if status is None else f"HTTP {status}")
    asked = str(response.headers.get("Retry-After", ""))
    wait = int(asked) if asked.isascii() and asked.isdigit() else SHORTEST_PAUSE_SECONDS
    return EndpointFault("HTTP 429", min(max(wait, 1), LONGEST_PAUSE_SECONDS))
