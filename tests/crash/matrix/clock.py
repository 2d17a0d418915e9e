"""One clock for all processes of a matrix, which its conductor moves: leases and waits pass in milliseconds.

Shared memory that forks inherit holds how far it is ahead of the machine's. Everything in the service asks
``core.clock``, and that asks Django.
"""

import mmap
import struct
import time
from datetime import UTC, datetime, timedelta

from django.utils import timezone

_FORMAT = "q"
_MILLISECOND = timedelta(milliseconds=1)


class SharedClock:
    """The machine's clock, and how many milliseconds the service's is ahead of it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, struct.calcsize(_FORMAT))

    def install(self) -> None:
        """Let this process, and those forked from it, live by this clock."""
        timezone.now = self.now  # type: ignore[assignment]  # that is the purpose

    def now(self) -> datetime:
        """The moment that it is for the service."""
        (ahead,) = struct.unpack_from(_FORMAT, self._memory)
        return datetime.now(UTC) + ahead * _MILLISECOND

    def unix(self) -> float:
        """The same as receivers of webhooks count it."""
        return self.now().timestamp()

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass. Only the conductor does."""
        (ahead,) = struct.unpack_from(_FORMAT, self._memory)
        struct.pack_into(_FORMAT, self._memory, 0, ahead + round(seconds * 1000))


def wait(seconds: float) -> None:
    """Wait by the machine's clock."""
    time.sleep(seconds)
