"""One round of reading a chain: new blocks by one node, final ones by every one."""

from dataclasses import replace
from functools import partial

from chains.clients.evm_endpoint import Node
from chains.clients.outcomes import Behind
from chains.clients.pool import Pool
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.finality import Finality
from chains.reader.base import Bite, Progress, WatchOf
from chains.reader.evm import read_final, read_new

MAY_LAG_BLOCKS = 100
"""How far one node's last final block may lie behind another's: what is further behind holds up nothing."""


class Round:
    """Questions of one round; no transaction may be open. Raises: ChainUnavailable, from each."""

    def __init__(self, chain: str, *, whole_blocks: bool) -> None:
        self._pool: Pool[Node] = EVM.pool(chain)
        self._whole_blocks = whole_blocks

    def head(self) -> int:
        """The number of the newest block."""
        return self._pool.ask(lambda node: node.head)

    def final_head(self) -> int:
        """The number of the newest block that the chain calls final."""
        return self._pool.ask(_final_head)

    def newest(self, progress: Progress, watch_of: WatchOf) -> Bite:
        """What came since the last round."""
        question = partial(read_new, progress=progress, watch_of=watch_of, whole_blocks=self._whole_blocks)
        return self._pool.ask(question)

    def final(self, progress: Progress, watch_of: WatchOf, most: int) -> Bite:
        """What the chain calls final since, up to block ``most``, by every node that answers and is not far behind.

        Why by every one: which of them read a block first is not known any more, and what one hides another shows.
        """
        heads = [head for head in self._pool.ask_every(_final_head) if isinstance(head, int)]
        if not heads:
            raise ChainUnavailable(self._pool.chain.name)
        last = min([head for head in heads if head >= max(heads) - MAY_LAG_BLOCKS] + [most])

        def question(node: Node) -> Bite:
            if _final_head(node) < last:
                raise Behind("behind the last final block")
            return read_final(node, progress, watch_of, last, whole_blocks=self._whole_blocks)

        bites = [bite for bite in self._pool.ask_every(question) if isinstance(bite, Bite)]
        if not bites:
            raise ChainUnavailable(self._pool.chain.name)
        return _together(bites)


def _final_head(node: Node) -> int:
    return node.newest(Finality.FINALIZED)


def _together(bites: list[Bite]) -> Bite:
    """What any of them shows, as far as all of them came, by the blocks that all of them took at once."""
    read_to = min(bite.read_to for bite in bites)
    found = {one.tx_hash: one for bite in bites for one in bite.opened if one.block_number <= read_to}
    refused = frozenset[str]().union(*(bite.refused for bite in bites))
    width = min(bite.width for bite in bites)
    return replace(bites[0], opened=tuple(found.values()), read_to=read_to, refused=refused, width=width)
