"""One round of reading a chain: new blocks by one node, final ones by another where there is one."""

from functools import partial

from chains.clients.endpoints import Endpoint
from chains.clients.evm_endpoint import Node
from chains.clients.pool import Pool
from chains.clients.registry import EVM
from chains.finality import Finality
from chains.reader.base import Bite, Progress, WatchOf
from chains.reader.evm import read_final, read_new


class Round:
    """Questions of one round; no transaction may be open. Raises: ChainUnavailable, from each."""

    def __init__(self, chain: str, *, whole_blocks: bool) -> None:
        self._pool: Pool[Node] = EVM.pool(chain)
        self._whole_blocks = whole_blocks
        self._first: Endpoint[Node] | None = None

    def head(self) -> int:
        """The number of the newest block."""
        return self._pool.ask(lambda node: node.head)

    def final_head(self) -> int:
        """The number of the newest block that the chain calls final."""
        return self._pool.ask(lambda node: node.newest(Finality.FINALIZED))

    def newest(self, progress: Progress, watch_of: WatchOf) -> Bite:
        """What came since the last round."""
        question = partial(read_new, progress=progress, watch_of=watch_of, whole_blocks=self._whole_blocks)
        bite, self._first = self._pool.ask_one(question)
        return bite

    def final(self, progress: Progress, watch_of: WatchOf, most: int) -> Bite:
        """What the chain calls final since, up to block ``most``; by another node than the one that read it first.

        Why by the same one where no other answers: that one may be away for days.
        """
        question = partial(_final, progress=progress, watch_of=watch_of, most=most, whole_blocks=self._whole_blocks)
        other = self._pool.ask_second(question, self._first) if self._first and self._pool.has_second else None
        return other or self._pool.ask(question)


def _final(node: Node, progress: Progress, watch_of: WatchOf, most: int, *, whole_blocks: bool) -> Bite:
    last = min(node.newest(Finality.FINALIZED), most)
    return read_final(node, progress, watch_of, last, whole_blocks=whole_blocks)
