"""One clock for all processes of a matrix, which its conductor moves: leases and waits pass in milliseconds.

Shared memory that forks inherit holds how far it is from the moment when the matrix began. Everything in the service
asks ``core.clock``, and that asks Django.
"""

import mmap
import struct
from datetime import datetime, timedelta

from django.utils import timezone

_FORMAT = "q"
_MILLISECOND = timedelta(milliseconds=1)


class SharedClock:
    """How many milliseconds have passed since the beginning. Between two moves of the conductor it stands still.

    Why the beginning is the machine's moment: real chains that cells are run over date their blocks by it.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, struct.calcsize(_FORMAT))
        self._began = timezone.now()

    def install(self) -> None:
        timezone.now = self.now

    def now(self) -> datetime:
        return self._began + self._ahead() * _MILLISECOND

    def unix(self) -> float:
        return self.now().timestamp()

    def pass_seconds(self, seconds: float) -> None:
        struct.pack_into(_FORMAT, self._memory, 0, self._ahead() + round(seconds * 1000))

    def _ahead(self) -> int:
        ahead: int = struct.unpack_from(_FORMAT, self._memory)[0]
        return ahead
