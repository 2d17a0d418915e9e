"""When a failed delivery is tried again: pure, so that it can be read and tested at a glance."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from secrets import SystemRandom

from core.backoff import Backoff

FIRST_WAIT_SECONDS = 30
LONGEST_WAIT_SECONDS = 12 * 3600
RETRY_DELAYS = Backoff(delays_seconds=(30, 120, 480, 1920, 7680, 30720, LONGEST_WAIT_SECONDS))
"""Eight attempts, 30 s to 12 h. Source: specification, Events (delivery); docs/guides/webhooks.md, Delivery."""
JITTER_PERCENT = 10
_HONOURED_STATUSES = frozenset({429, 503})
_random = SystemRandom()


def wait_after(attempt: int) -> timedelta | None:
    """The wait after attempt ``attempt`` (from 1), up to 10 % off the schedule; None after the last one."""
    planned = RETRY_DELAYS.wait_after(attempt)
    if planned is None:
        return None
    milliseconds = int(planned.total_seconds()) * 1000
    spread = milliseconds * JITTER_PERCENT // 100
    return _within_bounds(timedelta(milliseconds=milliseconds + _random.randint(-spread, spread)))


def asked_wait(status: int, retry_after: str | None, at: datetime) -> timedelta | None:
    """The wait that a 429 or 503 asks for by ``Retry-After``, kept within 30 s to 12 h; None without one."""
    if status not in _HONOURED_STATUSES or retry_after is None:
        return None
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return _within_bounds(timedelta(seconds=min(int(text[:9]), LONGEST_WAIT_SECONDS)))
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return _within_bounds((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - at)


def _within_bounds(wait: timedelta) -> timedelta:
    return min(max(wait, timedelta(seconds=FIRST_WAIT_SECONDS)), timedelta(seconds=LONGEST_WAIT_SECONDS))
