"""Forgets what callers asked and were answered long ago, and sessions that ended; makes the days of the request log.

On PostgreSQL each day lies in a partition of its own, made ahead and dropped whole. Both are done by functions of the
database that its owner left: the programs' role owns no table. A day that was not made in time costs nothing: its lines
lie in the default partition until it is. Source: docs/adr/0084.
"""

from datetime import datetime, timedelta
from typing import Final

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef

from core.clock import now
from core.leases import time_limit
from core.partitions import asked_of_the_owner
from core.purges import AT_ONCE, TURN_SECONDS, IsOver, purge
from merchants.models import IdempotencyRecord, RequestRecord

AHEAD_DAYS: Final = 10
"""So long may nobody make days without a line landing in the default partition."""


def forget_expired_answers(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete idempotency records whose window is over; returns how many."""
    ended = IdempotencyRecord.objects.filter(expires_at__lte=now())
    return purge(ended, age="expires_at", is_over=is_over, at_once=at_once)


def forget_ended_sessions(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete sessions of people that are over, with what was noted of where they were signed in; returns how many."""
    ended = Session.objects.filter(expire_date__lt=now())
    gone = purge(ended, age="expire_date", is_over=is_over, at_once=at_once)
    alive = Session.objects.filter(session_key=OuterRef("session_key"))
    # Why only the old: a session of this minute may have been written by a request that is not over.
    noted = UserSession.objects.filter(~Exists(alive), created_at__lt=now() - timedelta(hours=1))
    purge(noted, age="created_at", is_over=is_over, at_once=at_once)
    return gone


def make_request_days() -> int | None:
    """Make the days that are to come; returns how many were missing, None where somebody has the log."""
    return asked_of_the_owner("merchants_make_request_days", AHEAD_DAYS)


def drop_request_days(ended: datetime) -> int | None:
    """Drop the days that were over at a moment; returns how many, None where somebody has the log.

    Nothing younger than a day is dropped.
    """
    return asked_of_the_owner("merchants_drop_request_days", ended)


def forget_old_requests(is_over: IsOver | None = None, at_once: int = AT_ONCE) -> int:
    """Delete lines of the request log at the end of their last day (UTC); returns how many beside whole days.

    Why by number: lines are numbered as they are written, within seconds by age, so the age needs no index.
    """
    is_over = is_over or time_limit(TURN_SECONDS)
    today = now().replace(hour=0, minute=0, second=0, microsecond=0)
    ended, deleted, after = today - timedelta(days=settings.KEEP_REQUESTS_DAYS), 0, 0
    if drop_request_days(ended) is None:
        return 0  # line by line, what is to be dropped whole would take hours
    while not is_over():
        stretch = RequestRecord.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:at_once]
        last = max(stretch, default=after)
        count, _ = RequestRecord.objects.filter(pk__gt=after, pk__lte=last, created_at__lt=ended).delete()
        deleted, after = deleted + count, last
        if not count:
            break
    return deleted
