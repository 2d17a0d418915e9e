"""What requests leave to be written down: it is, by the threads that answer requests, when one of them is free.

Why these threads: each keeps a connection to the database, so what has a thread of its own has one of its own, and
connections are what a large deployment runs out of first. Source: docs/adr/0075.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

from config.threads import Threads
from core.errors import TemporarilyUnavailable

TURN_SECONDS: Final = 0.25
"""How often it is looked whether something is due, while something waits."""
MOST_PUT_OFF: Final = 2
"""Looks that found no free thread before one is waited for, in line with the requests: else a busy process never would
write, and would lose what does not fit into memory."""


class WritesLater(Protocol):
    """Something that notes while requests are answered and writes afterwards."""

    waits: bool

    def is_due(self) -> bool:
        """Whether it is time."""

    def take_turn(self) -> None:
        """Write. Raises nothing."""


class Leftovers:
    """Looks after everything that a process writes later, in its event loop; in a quiet process nothing runs."""

    def __init__(self, kinds: Sequence[WritesLater], threads: Threads) -> None:
        self._kinds = kinds
        self._threads = threads
        self._looking: asyncio.Task[None] | None = None

    def see_to_them(self) -> None:
        """Have what waits written down, however quiet it gets. Called in the event loop, after an answer was sent."""
        if (self._looking is None or self._looking.done()) and self._wait():
            self._looking = asyncio.ensure_future(self._look_on())

    def _wait(self) -> bool:
        return any(kind.waits for kind in self._kinds)

    async def _look_on(self) -> None:
        """Ends when nothing waits any more."""
        put_off = 0
        while self._wait():
            await asyncio.sleep(TURN_SECONDS)
            if not any(kind.is_due() for kind in self._kinds):
                continue
            if self._threads.are_busy and put_off < MOST_PUT_OFF:
                put_off += 1
                continue
            put_off = 0
            with suppress(TemporarilyUnavailable):
                await self._threads.run(self._take_turns)

    def _take_turns(self) -> None:
        for kind in self._kinds:
            if kind.is_due():
                kind.take_turn()
