"""One line a second for one cause, however often it happens, with a count: a log that can be read in an outage."""

import logging
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from socket import gaierror

from core.clock import Ticks, ticks

SECONDS = 1.0
MOST_CAUSES = 256
OURS = "causeway"


@dataclass(slots=True)
class _Cause:
    written_at: Ticks
    left_out: int = 0


class OncePerCause(logging.Filter):
    """Lets one record of a cause through each second; the next one has the number of those before it as ``left_out``.

    A cause is the error at the bottom of a record and where it was raised, whoever reports it; of a library's warning
    without an error it is the sentence. What this service itself says without an error is a fact each time, and is
    always written: two payments that are owed are two lines.

    Locks: the handler's, which the library holds for no filter: a count may be off by one between two threads.
    """

    def __init__(self) -> None:
        super().__init__()
        self._causes: OrderedDict[Hashable, _Cause] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this record is written."""
        name, moment = _cause_of(record), ticks()
        if name is None:
            return True
        cause = self._causes.get(name)
        if cause is not None and moment - cause.written_at < SECONDS:
            cause.left_out += 1
            return False
        record.left_out = cause.left_out if cause is not None else 0
        self._causes[name] = _Cause(moment)
        self._causes.move_to_end(name)
        if len(self._causes) > MOST_CAUSES:
            self._causes.popitem(last=False)
        return True

    def take_left_out(self) -> int:
        """How many records were left out and not counted in a line yet; they are not counted again."""
        count = 0
        for cause in list(self._causes.values()):
            count, cause.left_out = count + cause.left_out, 0
        return count


def root_of(error: BaseException) -> BaseException:
    """The error that this one was raised from. Why not what was handled meanwhile: that is often a fault of ours."""
    seen = {id(error)}
    while (earlier := error.__cause__) is not None and id(earlier) not in seen:
        error = earlier
        seen.add(id(error))
    return error


def _cause_of(record: logging.LogRecord) -> Hashable | None:
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        root = root_of(error)
        return type(root), None if is_outage(root) else _place_of(root)
    if record.levelno >= logging.WARNING and record.name.partition(".")[0] != OURS:
        return record.name, record.levelno, record.msg
    return None


def is_outage(error: BaseException) -> bool:
    """Whether something that this service needs is away: then where it was noticed says nothing.

    Why by the names of classes: the drivers of PostgreSQL and Redis are loaded in the production form alone.
    """
    if isinstance(error, (ConnectionError, TimeoutError, gaierror)):
        return True
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(error).__mro__}
    return bool(kinds & _AWAY) and type(error).__name__ not in _BUSY


_AWAY = frozenset(
    {
        *("django.OperationalError", "django.InterfaceError", "psycopg.OperationalError", "psycopg.InterfaceError"),
        *("redis.ConnectionError", "redis.TimeoutError", "kombu.OperationalError"),
    }
)
_BUSY = frozenset({"DeadlockDetected", "LockNotAvailable", "QueryCanceled", "SerializationFailure"})
"""What the driver calls by the same name, and what happens to one statement: there the place is what one looks for."""


def _place_of(error: BaseException) -> tuple[str, int] | None:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None else (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
