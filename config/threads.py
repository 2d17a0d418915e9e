"""Some threads of their own for what an event loop must not wait for."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from core.errors import TemporarilyUnavailable

Result = TypeVar("Result")


class Threads:
    """Some threads of their own, and how long a request waits for one of them.

    Why not the standard library's pool: a request is a fifth quicker without the locks of its futures.
    """

    def __init__(self, name: str, count: int, wait_seconds: float) -> None:
        self._name, self._count = name, count
        self._work: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]]] = SimpleQueue()
        self._free = asyncio.Semaphore(count)
        self._wait_seconds = wait_seconds
        self._are_there = False

    @property
    def are_busy(self) -> bool:
        """Whether whoever came now would have to wait."""
        return self._free.locked()

    async def run(self, work: Callable[[], Result]) -> Result:
        """What the work gives. Raises: TemporarilyUnavailable when no thread becomes free in time."""
        if self.are_busy:
            await self._wait()
        else:
            await self._free.acquire()
        try:
            given: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
            self._begin()
            self._work.put((work, given))
            return await given
        finally:
            self._free.release()

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._free.acquire()
        except TimeoutError:
            raise TemporarilyUnavailable from None

    def _begin(self) -> None:
        """Why only now: threads do not outlive a fork."""
        if not self._are_there:
            self._are_there = True
            for number in range(self._count):
                Thread(target=self._serve, name=f"{self._name}_{number}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            work, given = self._work.get()
            try:
                settle = partial(_settle, given, given.set_result, work())
            except BaseException as failure:
                settle = partial(_settle, given, given.set_exception, failure)
            with suppress(RuntimeError):  # the server has ended meanwhile
                given.get_loop().call_soon_threadsafe(settle)
            del work, given, settle  # else an answer would stay in memory until the next one


def _settle(given: asyncio.Future[Any], say: Callable[[Any], None], what: Any) -> None:
    """Unless nobody waits for it any more."""
    if not given.done():
        say(what)
