"""Has the database's owner make and drop partitions, by functions that it left for the programs: they own no table.

Source: docs/adr/0084; docs/operators.md, Who can change the audits.
"""

import logging
from datetime import datetime

from django.db import OperationalError, connection

logger = logging.getLogger("causeway.partitions")


def asked_of_the_owner(function: str, given: int | datetime) -> int | None:
    """What such a function answers, as a number; 0 where the database has no partitions, None where a table is in use.

    Locks: whole partitions. Why a lock is waited for so shortly: whoever comes behind waits as long.
    """
    if connection.vendor != "postgresql":
        return 0
    kind = "integer" if isinstance(given, int) else "timestamptz"
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}(%s::{kind})", [given])  # noqa: S608 - names of our own only
            return int(cursor.fetchone()[0])
    except OperationalError as refusal:
        logger.warning("%s: partitions stay as they are for an hour: %s", function, refusal)
        return None
