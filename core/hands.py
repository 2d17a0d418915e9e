"""Many hands on one pile: several threads of a worker advance what is due, so that one waits while another works.

Why threads: what takes long is to wait for nodes and for the database. The row stays the queue, as in ``core.leases``.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Generic, TypeVar

from django.db import connections

from core.leases import work_through

Claimed = TypeVar("Claimed")


class _Pile(Generic[Claimed]):
    """What is claimed and not begun. Any hand takes from it, and claims more where nothing is left."""

    def __init__(self, claim: Callable[[], list[Claimed]], is_over: Callable[[], bool]) -> None:
        self._claim, self._is_over = claim, is_over
        self._lock = threading.Lock()
        self.left: deque[Claimed] = deque(claim())
        self.taken = 0

    def take(self) -> list[Claimed]:
        """One; none where nothing is due, or the time is over."""
        with self._lock:
            if self.taken and self._is_over():
                return []
            if not self.left:
                self.left.extend(self._claim())
            if not self.left:
                return []
            self.taken += 1
            return [self.left.popleft()]


def work_together(
    claim: Callable[[], list[Claimed]],
    advance: Callable[[Claimed], None],
    give_back: Callable[[list[Claimed]], None],
    is_over: Callable[[], bool],
    *,
    hands: int,
) -> int:
    """As ``core.leases.work_through``, by so many threads at most, each with a database connection of its own.

    With one hand it is the same, in the caller's own thread: SQLite has one writer, and a test's transaction is seen by
    no other thread. What is due alone is done by the caller too.
    """
    if hands == 1:
        return work_through(claim, advance, give_back, is_over)
    pile = _Pile(claim, is_over)
    helpers = min(hands, len(pile.left)) - 1
    if helpers < 1:
        _work_off(pile, advance)
        return _ended(pile, give_back)
    with ThreadPoolExecutor(max_workers=helpers, thread_name_prefix="hands") as pool:
        begun = [pool.submit(copy_context().run, _help, pile, advance) for _ in range(helpers)]
        _work_off(pile, advance)
    for helper in begun:
        helper.result()
    return _ended(pile, give_back)


def _ended(pile: _Pile[Claimed], give_back: Callable[[list[Claimed]], None]) -> int:
    if pile.left:
        give_back(list(pile.left))
    return pile.taken


def _work_off(pile: _Pile[Claimed], advance: Callable[[Claimed], None]) -> None:
    while one := pile.take():
        advance(one[0])


def _help(pile: _Pile[Claimed], advance: Callable[[Claimed], None]) -> None:
    """Why connections are closed: a thread's own would stay open for ever."""
    try:
        _work_off(pile, advance)
    finally:
        connections.close_all()
