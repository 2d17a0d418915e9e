"""When to try again: a pure value, easily tested."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """A fixed schedule of waits. ``delays_seconds[0]`` is the wait after the first attempt."""

    delays_seconds: tuple[int, ...]

    @property
    def attempts(self) -> int:
        """How many attempts the schedule allows in all."""
        return len(self.delays_seconds) + 1

    def wait_after(self, attempt: int) -> timedelta | None:
        """The wait after attempt number ``attempt`` (from 1), or None when that was the last one."""
        if attempt > len(self.delays_seconds):
            return None
        return timedelta(seconds=self.delays_seconds[attempt - 1])
