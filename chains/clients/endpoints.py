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
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from chains.clients.heads import FEWEST_BLOCKS, Heads
from chains.clients.outcomes import Behind, EndpointFault, TooManyQuestions, fault_of, outcome_of
from chains.finality import Finality, finality_for
from chains.registry import Chain
from core.metrics import NODE_QUESTIONS

ASSERTED_FOR_SECONDS = 60
"""How long an endpoint's word on its chain is taken; a fault ends it at once."""
HEAD_FRESH_SECONDS = 20
TAGS_FRESH_SECONDS = 5
"""How long its word on what is final is taken while its newest block is the same. Why not as long as that lasts: where
nobody makes blocks, those that are there become final all the same."""
FAULTS_TO_OPEN = 3
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 2, 60
_LOGGER = logging.getLogger("causeway.chains")


@dataclass(kw_only=True)
class ChainNode(ABC):
    """An endpoint that proved to be on the right chain, at its height. All of one look is asked of one node."""

    chain: Chain
    head: int
    tagged: dict[Finality, int] = field(default_factory=dict)
    """The newest block of which the chain said each word, as far as it was asked at this head."""

    def may_have_been(self, head: int) -> bool:
        """Whether this was ever the chain's newest block, or the one after it: one far ahead was a node's mistake."""
        return head <= self.head + FEWEST_BLOCKS

    def depth(
        self, block_number: int, at_stake_usd: Decimal | None = None, at_least: Finality = Finality.INCLUDED
    ) -> int:
        """How deep a block stands, kept below the required number until the chain says of it what is asked for.

        Source: docs/live.md, What an operator sets.
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
        if tag not in self.tagged:
            self.tagged[tag] = self._read_finalized() if tag is Finality.FINALIZED else self._read_safe()
        return self.tagged[tag]

    @abstractmethod
    def _read_finalized(self) -> int:
        """The newest block that the chain calls final."""

    def _read_safe(self) -> int:
        """The newest block that the chain calls safe; the final one where it has no such word."""
        return self.newest(Finality.FINALIZED)


N = TypeVar("N", bound=ChainNode)
T = TypeVar("T")


class Endpoint(ABC, Generic[N]):
    """One address, its circuit breaker, and what it last said of its chain.

    The breaker opens only by what the endpoint makes of a question that is about nobody: on which chain it is, and how
    far. What single questions end in puts it behind the others, and takes it from nobody.
    """

    def __init__(self, known: Chain, url: str, heads: Heads, *, refuse_play_networks: bool) -> None:
        self.chain = known
        self.name = urlsplit(url).hostname or "endpoint"
        self.faults, self._silences = 0, 0
        self.head, self._head_at = 0, -math.inf
        self._url, self._heads = url, heads
        self._refuse_play_networks = refuse_play_networks
        self._closed_until = self._slowed_until = -math.inf
        self._asserted_at = -math.inf
        self._tags: tuple[int, dict[Finality, int]] = (0, {})
        self._tags_since = -math.inf

    def is_open(self) -> bool:
        """Whether it may be asked now."""
        return time.monotonic() >= self._closed_until

    def slowed_for(self) -> int:
        """The seconds that its provider wants it to be left alone for."""
        wait = self._slowed_until - time.monotonic()
        return math.ceil(wait) if wait > 0 else 0

    def has_news(self) -> bool:
        """Whether its word on the height of the chain is recent."""
        return time.monotonic() - self._head_at < HEAD_FRESH_SECONDS

    def ask(self, question: Callable[[N], T], least_head: int) -> T:
        """Put a question to it.

        Raises: NoAnswer in one of its kinds, BudgetSpent. Why so broad a catch: garbage from a node fails in any way
        inside the library.
        """
        node = self._reached()
        if node.head < least_head:
            NODE_QUESTIONS.add(self.chain.name, self.name, "behind")
            raise Behind("behind the head of the chain")
        try:
            answer = question(node)
        except Exception as error:
            found = outcome_of(error)
            if isinstance(found, EndpointFault):
                self._note(found)
            else:
                NODE_QUESTIONS.add(self.chain.name, self.name, "unsaid")
            raise found from None
        self.faults = 0
        NODE_QUESTIONS.add(self.chain.name, self.name, "answered")
        return answer

    def _reached(self) -> N:
        """The node with its newest block, as far as that is believed. Raises: EndpointFault, BudgetSpent."""
        try:
            if time.monotonic() - self._asserted_at > ASSERTED_FOR_SECONDS:
                self._assert_chain()
                self._asserted_at = time.monotonic()
            node = self._reach()
            if not self._heads.allows(node.head) and not self._stands(node):
                raise EndpointFault("a head that it does not have")
        except Exception as error:
            fault = fault_of(error)
            self._note(fault)
            self._close_after(fault)
            raise fault from None
        self._silences = 0
        self._heads.believe(node.head)
        self.head, self._head_at = node.head, time.monotonic()
        return self._with_tags(node)

    def _with_tags(self, node: N) -> N:
        """The node with what was final at the same height a moment ago, which all looks at it share.

        Why the height stands beside: several threads ask at once, each with a height of its own.
        """
        height, tags = self._tags
        if height != node.head or time.monotonic() - self._tags_since >= TAGS_FRESH_SECONDS:
            tags = {}
            self._tags, self._tags_since = (node.head, tags), time.monotonic()
        node.tagged = tags
        return node

    @abstractmethod
    def _assert_chain(self) -> None:
        """Raises: WrongChain. Why: money on another chain, or on a developer's own, must never count here."""

    @abstractmethod
    def _reach(self) -> N:
        """The node with its newest block."""

    @abstractmethod
    def _stands(self, node: N) -> bool:
        """Whether the node has the block that it calls its newest. It may as well fail to say."""

    def _note(self, fault: EndpointFault) -> None:
        """Remember a fault; a limit is none that counts."""
        if isinstance(fault, TooManyQuestions):
            NODE_QUESTIONS.add(self.chain.name, self.name, "slowed")
            self._slowed_until = time.monotonic() + fault.pause_seconds
            _LOGGER.warning("%s endpoint %s: %s, slowed", self.chain.name, self.name, fault.reason)
            return
        NODE_QUESTIONS.add(self.chain.name, self.name, "failed")
        self.faults += 1
        self._asserted_at = -math.inf
        _LOGGER.warning("%s endpoint %s: %s (fault %d)", self.chain.name, self.name, fault.reason, self.faults)

    def _close_after(self, fault: EndpointFault) -> None:
        if isinstance(fault, TooManyQuestions):
            return
        self._silences += 1
        pause = fault.pause_seconds
        if self._silences >= FAULTS_TO_OPEN:
            doubled = SHORTEST_PAUSE_SECONDS * 2 ** min(self._silences - FAULTS_TO_OPEN, 8)
            pause = max(pause, min(doubled, LONGEST_PAUSE_SECONDS))
        self._closed_until = time.monotonic() + pause
