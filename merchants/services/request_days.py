"""The days of the request log: on PostgreSQL each lies in a partition of its own, made ahead and dropped whole.

Both are done by functions of the database that its owner left: the programs' role owns no table. A day that was not
made in time costs nothing: its lines lie in the default partition until it is. Source: docs/adr/0084.
"""

from datetime import datetime
from typing import Final

from core.partitions import asked_of_the_owner

AHEAD_DAYS: Final = 10
"""So long may nobody make days without a line landing in the default partition."""


def make_request_days() -> int | None:
    """Make the days that are to come; returns how many were missing, None where somebody has the log."""
    return asked_of_the_owner("merchants_make_request_days", AHEAD_DAYS)


def drop_request_days(ended: datetime) -> int | None:
    """Drop the days that were over at a moment; returns how many, None where somebody has the log.

    Nothing younger than a day is dropped.
    """
    return asked_of_the_owner("merchants_drop_request_days", ended)
