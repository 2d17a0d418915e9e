"""How far a chain can be by now: a head counts only when it is possible since the last one that was believed.

Why: a node that is wrong once, by a million blocks, would make every honest one seem far behind.
"""

import math
import threading
import time

from chains.registry import Chain

GROWTH = 2
"""How many times faster than usual a chain may be: blocks come unevenly, and chains are sped up."""
FEWEST_BLOCKS = 3
"""More than that at once is looked at twice."""


class Heads:
    """What is believed of one chain, by all its endpoints in this process."""

    def __init__(self, known: Chain) -> None:
        self._chain, self._lock = known, threading.Lock()
        self._head, self._at = -1, -math.inf

    def allows(self, head: int) -> bool:
        """Whether the chain can be there now. Nothing is, before anything was believed: the first one is looked at."""
        with self._lock:
            if self._head < 0:
                return False
            seconds = int(time.monotonic() - self._at) + 1
            return head <= self._head + max(int(GROWTH * seconds / self._chain.block_seconds), FEWEST_BLOCKS)

    def believe(self, head: int) -> None:
        """Take one as true from now on. Why also a lower one: what was believed may have been wrong after all."""
        with self._lock:
            self._head, self._at = head, time.monotonic()
