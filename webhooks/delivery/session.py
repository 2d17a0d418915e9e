"""Where requests are under way: an event loop, and a client for each reach whose connections outlive a drain.

Why kept: a drain ends as soon as nothing is due, and what comes a second later would need a handshake of its own.
Nothing runs in it between drains, so connections there are bounded in number, and looked at before they are used again.
"""

import asyncio
import atexit
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from core.outbound.addresses import Reach

if TYPE_CHECKING:
    from core.outbound.client import GuardedClient


class Session:
    """Of one drain at a time, since an event loop is."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._clients: dict[Reach, GuardedClient] = {}

    @property
    def is_used(self) -> bool:
        """Whether there is anything to close."""
        return self._loop is not None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop. Why late: most drains find nothing to send."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Let everything go on until this is done."""
        self.loop.run_until_complete(work)

    async def client(self, reach: Reach) -> "GuardedClient":
        """The client of a reach."""
        from core.outbound.client import GuardedClient  # noqa: PLC0415  Why: a slow import, and most drains send nothing.

        if reach not in self._clients:
            self._clients[reach] = await GuardedClient.open(reach)
        return self._clients[reach]

    def tidy(self) -> None:
        """Close what rested too long."""
        if self._loop is not None:
            self.run(self._each("tidy"))

    def close(self) -> None:
        """Close everything."""
        if self._loop is None:
            return
        try:
            self.run(self._each("close"))
        finally:
            self._loop.close()
            self._loop = None
            self._clients.clear()

    async def _each(self, verb: str) -> None:
        for client in self._clients.values():
            await getattr(client, verb)()


_kept: list[Session] = []
"""At most one in a process. Why: two drains of one process meet only while the first waits for its last answers."""
_lock = Lock()


@contextmanager
def kept_session() -> Iterator[Session]:
    """The session that the last drain of this process left, tidied, or a new one; kept for the next."""
    with _lock:
        mine = _kept.pop() if _kept else Session()
    try:
        mine.tidy()
        yield mine
        mine.tidy()
    except BaseException:
        mine.close()
        raise
    with _lock:
        is_kept = mine.is_used and not _kept
        if is_kept:
            _kept.append(mine)
    if not is_kept:
        mine.close()


def close_kept() -> None:
    """Close every connection that was kept for the next drain."""
    with _lock:
        leaving, _kept[:] = [*_kept], []
    for kept in leaving:
        kept.close()


atexit.register(close_kept)
