"""Up to which moment everything is written: what a transaction that is still open will show counts as later.

Source: docs/adr/0078.
"""

import time
from datetime import datetime, timedelta

from django.db import connection

from core.clock import now
from webhooks.models import Event

LOOKS, PAUSE_SECONDS = 50, 0.1
"""How often, and after which pauses, it is asked whether those that wrote have ended: five seconds in all."""
MARGIN = timedelta(minutes=5)
"""How much earlier a row may be stamped than its transaction first wrote, machines' clocks that differ among it."""
LONGEST_WAIT = timedelta(days=1)
"""How long an event that nobody fans out holds the watermark back. Then the whole walk has it."""


def settled_moment() -> datetime | None:
    """Now, when every transaction that had written by now has ended; None where one stays open.

    Waits five seconds at most. SQLite has one writer at a time: what waits for its turn is within ``MARGIN``.
    """
    moment = now()
    if connection.vendor != "postgresql":
        return moment
    writing = _writing()
    for turn in range(LOOKS):
        if turn:
            time.sleep(PAUSE_SECONDS)
        if not writing & _writing():
            return moment
    return None


def held_back(moment: datetime) -> datetime:
    """Not past an event that is still to be fanned out: whom it goes to is written later, and nothing says when."""
    waiting = Event.objects.filter(fanned_out_at=None).order_by("occurred_at", "pk")
    oldest = waiting.values_list("occurred_at", flat=True).first()
    return moment if oldest is None else min(moment, max(oldest, moment - LONGEST_WAIT))


def _writing() -> set[str]:
    """The transactions of others that have written here and are still open: each holds a lock on its own number.

    Why not those of a snapshot: these are of all databases of the server, and other applications' are not ours to wait
    for. Nor the server's own, such as an automatic ANALYZE: it writes no row of ours. Source: https://www.postgresql.org/docs/15/view-pg-locks.html.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT held.transactionid::text FROM pg_locks AS held JOIN pg_stat_activity AS holder USING (pid)
            WHERE held.locktype = 'transactionid' AND held.granted AND holder.datname = current_database()
                AND pid <> pg_backend_pid() AND holder.backend_type = 'client backend'
            """
        )
        return {number for (number,) in cursor.fetchall()}
