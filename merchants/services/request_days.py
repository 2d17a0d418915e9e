"""The days of the request log: on PostgreSQL each lies in a partition of its own, made ahead and dropped whole.

Both are done by functions of the database that its owner left: the programs' role owns no table. A day that was not
made in time costs nothing: its lines lie in the default partition until it is. Source: docs/adr/0084.
"""

import logging
from datetime import datetime
from typing import Final

from django.db import OperationalError, connection

AHEAD_DAYS: Final = 10
"""So long may nobody make days without a line landing in the default partition."""
logger = logging.getLogger("causeway.request_log")


def make_request_days() -> int | None:
    """Make the days that are to come; returns how many were missing, None where somebody has the log."""
    return _asked("SELECT merchants_make_request_days(%s::integer)", AHEAD_DAYS)


def drop_request_days(ended: datetime) -> int | None:
    """Drop the days that were over at a moment; returns how many, None where somebody has the log.

    Nothing younger than a day is dropped.
    """
    return _asked("SELECT merchants_drop_request_days(%s::timestamptz)", ended)


def _asked(question: str, given: int | datetime) -> int | None:
    """Why a lock is waited for so shortly: whoever comes behind waits as long. Locks: all or one of the partitions."""
    if connection.vendor != "postgresql":
        return 0
    try:
        with connection.cursor() as cursor:
            cursor.execute(question, [given])
            return int(cursor.fetchone()[0])
    except OperationalError as refusal:
        logger.warning("the days of the request log stay as they are for an hour: %s", refusal)
        return None
