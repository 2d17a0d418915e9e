"""The single source of time. Nothing else in the project asks the machine what time it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from time import monotonic

from django.utils import timezone

_set: ContextVar[datetime | None] = ContextVar("set_clock", default=None)
Ticks = float
"""What ``ticks`` gives."""


def now() -> datetime:
    """The current moment in UTC at millisecond precision.

    Why: what is stored is exactly what is shown, so lists ordered by time agree with what a client sees.
    """
    moment = _set.get() or timezone.now()
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@contextmanager
def set_to(moment: datetime) -> Iterator[None]:
    """Have it be that moment inside, in this thread alone.

    Why only for what is taken back: nothing that stays may be dated by it. A replay (``theatre.play``) is the one user.
    """
    token = _set.set(moment)
    try:
        yield
    finally:
        _set.reset(token)


def is_set() -> bool:
    """Whether what happens here happens in a replay."""
    return _set.get() is not None


def ticks() -> Ticks:
    """Seconds that only go forward, to be compared with each other and shown to nobody.

    Why not ``now``: the machine's own time may be set back, and then a bucket would stay empty.
    """
    return monotonic()


def wire_time(moment: datetime) -> str:
    """Write a moment as RFC 3339 in UTC with milliseconds and ``Z``."""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def optional_wire_time(moment: datetime | None) -> str | None:
    """Write a moment, or None where there is none yet."""
    return None if moment is None else wire_time(moment)
