"""How far the clocks of the service's processes are apart, held against the database's.

Leases, due times and signs of life are written by the clock of the process that writes them. Source: docs/adr/0093.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db import connection

from core.clock import now
from core.dispatch import WORKERS
from core.models import Heartbeat
from payments import selectors as payments

MAY_BE_APART: Final = timedelta(seconds=1)
"""Far more than NTP leaves, and less than the two seconds after which a worker takes a message for old."""
LEASE_MAY_BE_AHEAD: Final = timedelta(minutes=1)
"""Beyond the longest moment for which a payment is ever claimed or kept in its place."""


def clocks_apart() -> tuple[str, ...]:
    """A sentence for each clock that is too far from the database's, and one for what such a clock left behind.

    Raises: database errors. Why nothing is said of a clock that is behind but for this process's: its signs of life are
    old, so readiness names it already.
    """
    return tuple(_each_apart())


def _each_apart() -> Iterator[str]:
    ahead, moment = _this_process()
    if abs(ahead) > MAY_BE_APART:
        yield f"The clock of who answers this is {_apart(ahead)} the database's."
    late = Heartbeat.objects.filter(at__gt=moment + MAY_BE_APART).order_by("pk").values_list("name", "at")
    for name, at in late:
        who = f"worker {name}" if name in WORKERS else name
        yield f"The clock of {who} is {_apart(at - moment)} the database's."
    if payments.claimed_too_long_at(moment, LEASE_MAY_BE_AHEAD):
        yield "Payments are claimed until a moment that is too far ahead: they wait for it."


def _this_process() -> tuple[timedelta, datetime]:
    """How far this process's clock is ahead of the database's, and what that one says.

    Why before and after: an answer that takes long says nothing of a clock. SQLite has this process's.
    """
    before = now()
    if connection.vendor != "postgresql":
        return timedelta(0), before
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (moment,) = cursor.fetchone()
    after = now()
    return (before - moment if moment < before else min(after - moment, timedelta(0))), moment


def _apart(ahead: timedelta) -> str:
    seconds = int(abs(ahead).total_seconds())
    return f"{seconds} s {'ahead of' if ahead > timedelta(0) else 'behind'}"
