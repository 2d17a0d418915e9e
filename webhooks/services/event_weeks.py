"""The weeks of events: on PostgreSQL each lies in partitions of its own, with its deliveries and their attempts.

They are made ahead, and dropped whole when the last event of the week ended. A week begins on Monday (UTC). One that
was not made in time costs nothing: its rows lie in the default partitions until it is. Source: docs/adr/0089.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db import connection
from django.db.models import Q

from core.partitions import asked_of_the_owner

WEEK: Final = timedelta(weeks=1)
AHEAD_WEEKS: Final = 2
"""This one and the next. Why no more: whoever looks for what is due looks into each."""
MOST_AT_ONCE: Final = 10
"""More of them go in the next hour."""


def make_event_weeks() -> int | None:
    """Make the weeks that are to come; returns how many were missing, None where somebody has a table."""
    return asked_of_the_owner("webhooks_make_event_weeks", AHEAD_WEEKS)


def drop_event_weeks(ended: datetime) -> int:
    """Drop the weeks that were over at a moment, the oldest first; returns how many.

    One with an event that is kept for longer stays, and one with a delivery that is on its way again. Where somebody
    has a table, the rest waits for the next hour.
    """
    dropped = 0
    while dropped < MOST_AT_ONCE and asked_of_the_owner("webhooks_drop_event_week", ended):
        dropped += 1
    return dropped


def lies_apart(ended: datetime) -> Q:
    """Events that no week takes with it soon, so that they are deleted by age where that is over already.

    Those are younger, so only a test clock ended them, or in a week that should have gone a week ago.
    """
    if connection.vendor != "postgresql":
        return Q()
    monday = ended.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=ended.weekday())
    return Q(occurred_at__lt=monday - WEEK) | Q(occurred_at__gte=monday + WEEK)
