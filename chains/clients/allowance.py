"""How much may be asked of nodes for one purpose. Who works for somebody says so; each question is counted then.

Why a variable of the context: a question is put far below the place that knows for whom.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from chains.errors import ChainUnavailable


class Purse(Protocol):
    """What somebody's questions are paid from."""

    def spend(self) -> int:
        """Pay for one question; the seconds to wait where nothing is left, else 0."""


class BudgetSpent(ChainUnavailable):
    """No more is asked for this purpose now: it is put back for so many seconds, and the node is blameless."""

    reason = "enough was asked for it"

    def __init__(self, purse: Purse, wait_seconds: int) -> None:
        self.purse, self.wait_seconds = purse, wait_seconds
        super().__init__("")


_PURSES: ContextVar[tuple[Purse, ...]] = ContextVar("purses", default=())


@contextmanager
def asking_for(purse: Purse) -> Iterator[None]:
    """Let this purse, and those around it, pay for every question that is put inside."""
    before = _PURSES.set((*_PURSES.get(), purse))
    try:
        yield
    finally:
        _PURSES.reset(before)


def spend_question() -> None:
    """Count one question. Raises: BudgetSpent."""
    for purse in _PURSES.get():
        wait = purse.spend()
        if wait > 0:
            raise BudgetSpent(purse, wait)
