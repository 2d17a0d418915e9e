"""The endpoints of a chain, asked one after the other until one answers in time; and the chains of a family."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from django.conf import settings

from chains.clients.endpoints import ChainNode, Endpoint
from chains.clients.heads import Heads
from chains.clients.outcomes import CannotSay, NoAnswer, TookTooLong, TooManyQuestions
from chains.errors import ChainUnavailable, QuestionUnanswered
from chains.registry import Chain
from chains.registry import chain as chain_named

N = TypeVar("N", bound=ChainNode)
T = TypeVar("T")
MAINNET = "mainnet"
MOST_SECONDS = 12
"""For one question with all its tries. Why: below a worker's lease."""
ROUNDS = 3
BACK_OFF_SECONDS = 0.2
MOST_WAIT_SECONDS = 2
"""For a node that its provider slows. Why so little: a worker waits."""
LAG_SECONDS = 30
FEWEST_LAG_BLOCKS = 3


class Pool(Generic[N]):
    """Every endpoint of one chain."""

    def __init__(self, known: Chain, endpoints: Iterable[Endpoint[N]]) -> None:
        self.chain = known
        self._endpoints = list(endpoints)

    @property
    def has_second(self) -> bool:
        """Whether another node could be asked whether it says the same."""
        return len(self._endpoints) > 1

    def ask(self, question: Callable[[N], T], least_head: int = 0) -> T:
        """The answer of the first endpoint that has one; the whole question goes to one and the same.

        ``least_head`` passes over nodes that are known to lag. Raises: ChainUnavailable.
        """
        return self.ask_one(question, least_head)[0]

    def ask_second(self, question: Callable[[N], T], beside: Endpoint[N]) -> T | None:
        """The answer of any other endpoint than this one; None where no other has one."""
        for other in self._open_endpoints():
            if other is not beside:
                with suppress(NoAnswer):
                    return other.ask(question, 0)
        return None

    def ask_every(self, question: Callable[[N], T]) -> list[T | NoAnswer]:
        """What each endpoint that may be asked makes of it. Raises: ChainUnavailable if none may.

        Why none is left out: what one node does not pass on, another one may.
        """
        asked = self._open_endpoints()
        if not asked:
            raise ChainUnavailable(self.chain.name)
        return [_answer_or_none(endpoint, question) for endpoint in asked]

    def ask_one(
        self,
        question: Callable[[N], T],
        least_head: int = 0,
        is_whole: Callable[[T], bool] = lambda _: True,
        most_seconds: int | None = None,
        is_enough: Callable[[T], bool] = lambda _: True,
    ) -> tuple[T, Endpoint[N]]:
        """As ``ask``, and which endpoint it was. An answer that is not whole is taken where no other is.

        ``is_enough``: which of those is taken first. ``most_seconds``: after these no other node is asked.
        Raises: QuestionUnanswered where nodes were asked and none of them can say; ChainUnavailable where none answers.
        """
        ends_at = time.monotonic() + (MOST_SECONDS if most_seconds is None else most_seconds)
        tried = _Tried[T, N]()
        for turn in range(ROUNDS):
            for endpoint in self._open_endpoints():
                left_seconds = int(ends_at - time.monotonic())
                if endpoint in tried.over or left_seconds < 0 or not _await_turn(endpoint, left_seconds):
                    continue
                self._hear_others(endpoint)
                least = max(least_head, self._least_head_beside(endpoint))
                if tried.ask(endpoint, question, least, is_whole):
                    return tried.answers[-1]
            if not set(self._open_endpoints()) - tried.over or time.monotonic() >= ends_at:
                break
            time.sleep(BACK_OFF_SECONDS * 2**turn)
        if tried.answers:
            return next((one for one in tried.answers if is_enough(one[0])), tried.answers[0])
        raise (
            QuestionUnanswered(self.chain.name, tried.refusal_text)
            if tried.refusal_text
            else ChainUnavailable(self.chain.name)
        )

    def _open_endpoints(self) -> list[Endpoint[N]]:
        """Those that may be asked: whom nobody slows first, then the soundest."""
        is_open = (endpoint for endpoint in self._endpoints if endpoint.is_open())
        return sorted(is_open, key=lambda one: (one.slowed_for() > 0, one.faults))

    def _hear_others(self, endpoint: Endpoint[N]) -> None:
        """Ask the others now and then how far the chain is. Why: one that lags shows old balances as new."""
        for other in self._open_endpoints():
            if other is not endpoint and not other.has_news() and not other.slowed_for():
                with suppress(NoAnswer):
                    other.ask(_head_of, 0)

    def _least_head_beside(self, endpoint: Endpoint[N]) -> int:
        """How far the other endpoints say that the chain is, less the lag that is normal."""
        others = [other.head for other in self._endpoints if other is not endpoint and other.faults == 0]
        blocks = int(LAG_SECONDS / self.chain.block_seconds)
        return max(others, default=0) - max(blocks, FEWEST_LAG_BLOCKS)


class NodeChains(ABC, Generic[N]):
    """The chains of one family, through the endpoints that the settings name.

    Every method but the first goes over the network: no transaction may be open. Raises: ChainUnavailable.
    """

    def __init__(self) -> None:
        self._pools: dict[str, Pool[N]] = {}

    def reaches(self, chain: str) -> bool:
        """Whether there is an endpoint for this chain."""
        return bool(settings.RPC_URLS.get(chain))

    def head(self, chain: str) -> int:
        """The number of the newest block."""
        return self._pool(chain).ask(_head_of)

    def pool(self, chain: str) -> Pool[N]:
        """The endpoints of a chain, for what has to be asked of several. Raises: ChainUnavailable."""
        return self._pool(chain)

    def forget(self) -> None:
        """Start anew with the settings as they are."""
        self._pools.clear()

    @abstractmethod
    def _endpoint(self, known: Chain, url: str, heads: Heads, *, refuse_play_networks: bool) -> Endpoint[N]:
        """One endpoint of a chain of this family."""

    def _pool(self, chain: str) -> Pool[N]:
        if chain not in self._pools:
            known, urls = chain_named(chain), settings.RPC_URLS.get(chain)
            if known is None or not urls:
                raise ChainUnavailable(chain)
            is_real = settings.NETWORK_PROFILE == MAINNET
            heads = Heads(known)
            made = [self._endpoint(known, url, heads, refuse_play_networks=is_real) for url in urls]
            self._pools[chain] = Pool(known, made)
        return self._pools[chain]


@dataclass
class _Tried(Generic[T, N]):
    """What one question has met so far: whom not to ask again, what came, and the text of a refusal."""

    over: set[Endpoint[N]] = field(default_factory=set)
    answers: list[tuple[T, Endpoint[N]]] = field(default_factory=list)
    refusal_text: str = ""

    def ask(
        self, endpoint: Endpoint[N], question: Callable[[N], T], least_head: int, is_whole: Callable[[T], bool]
    ) -> bool:
        """Ask one endpoint; says whether it gave a whole answer.

        Why some are not asked again: they would say the same, or take as long as before.
        """
        try:
            answer = endpoint.ask(question, least_head)
        except NoAnswer as none:
            if isinstance(none, CannotSay):
                self.refusal_text = self.refusal_text or none.reason
            if isinstance(none, CannotSay | TookTooLong | TooManyQuestions):
                self.over.add(endpoint)
            return False
        self.over.add(endpoint)
        self.answers.append((answer, endpoint))
        return is_whole(answer)


def _await_turn(endpoint: Endpoint[N], left_seconds: int) -> bool:
    """Wait out a short limit of its provider; false where that takes too long."""
    wait = endpoint.slowed_for()
    if wait > min(left_seconds, MOST_WAIT_SECONDS):
        return False
    time.sleep(wait)
    return True


def _answer_or_none(endpoint: Endpoint[N], question: Callable[[N], T]) -> T | NoAnswer:
    try:
        return endpoint.ask(question, 0)
    except NoAnswer as none:
        return none


def _head_of(node: ChainNode) -> int:
    return node.head
