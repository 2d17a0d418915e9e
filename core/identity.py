"""Which database this is, and whether it was put back from a backup, as far as it can tell by itself.

Asks PostgreSQL which cluster it is, on which timeline, and to what it was restored, and compares that with what was
written down last. SQLite says nothing of the kind: there ``manage.py restored --quiet`` is said.
Source: docs/adr/0094-a-restored-copy-is-quiet.md; docs/backup.md.
"""

import logging
from datetime import timedelta
from typing import NamedTuple

from django.db import connection
from django.db.models import Max

from core.clock import now
from core.models import DatabaseIdentity, Heartbeat

SILENT_FOR = timedelta(minutes=2)
"""Longer than any failover takes, shorter than most restores: between the last sign of life and the next."""
SEEN = """
SELECT (SELECT system_identifier FROM pg_control_system())::text AS system,
       (SELECT oid FROM pg_database WHERE datname = current_database())::bigint AS database,
       CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END AS timeline,
       concat_ws(' ', nullif(current_setting('recovery_target'), ''),
                 nullif(current_setting('recovery_target_time'), ''),
                 nullif(current_setting('recovery_target_lsn'), ''),
                 nullif(current_setting('recovery_target_name'), ''),
                 nullif(current_setting('recovery_target_xid'), '')) AS target
"""
"""Every role may ask. The timeline is that of the log being written: the control file says the one before for a while.
In recovery, where nobody can write, there is none: 0.
Source: https://www.postgresql.org/docs/15/functions-info.html, Control Data Functions;
https://www.postgresql.org/docs/15/functions-admin.html, Backup Control Functions;
https://www.postgresql.org/docs/15/runtime-config-wal.html, Recovery Target, whose settings stay once it was reached.
"""
HAS_CHANGED = f"""
SELECT seen.timeline > 0 AND coalesce(
    (SELECT (known.system, known.database, known.timeline, known.target)
            IS DISTINCT FROM (seen.system, seen.database, seen.timeline, seen.target)
     FROM core_databaseidentity known),
    seen.target <> '')
FROM ({SEEN}) seen
"""  # noqa: S608 - our own words
"""Whether it is another one than was written down. Where nothing was, only what was restored to a target counts."""
logger = logging.getLogger("causeway.identity")


class Identity(NamedTuple):
    """Which database this is: the cluster's number, the database's in it, the timeline, and what it was restored to."""

    system: str
    database: int
    timeline: int
    target: str


def seen_identity() -> Identity | None:
    """Which one PostgreSQL says that it is; None where nobody can write."""
    with connection.cursor() as cursor:
        cursor.execute(SEEN)
        seen = Identity(*cursor.fetchone())
    return seen if seen.timeline else None


def known_identity() -> Identity | None:
    """Which one was written down last."""
    row = DatabaseIdentity.objects.order_by("pk").values_list(*Identity._fields).first()
    return None if row is None else Identity(*row)


def take_notice() -> str:
    """Write down which database this is; in words, why it counts as put back, or nothing.

    Locks: the identity's row, in the caller's transaction, so that of several processes one is first.
    """
    seen = seen_identity()
    list(DatabaseIdentity.objects.select_for_update().order_by("pk"))
    known = known_identity()
    if seen is None or seen == known:
        return ""
    last = Heartbeat.objects.aggregate(last=Max("at"))["last"]
    why = why_put_back(known, seen, None if last is None else now() - last)
    if known is not None and not why:
        logger.warning(
            "database_changed_hands: its log goes on with timeline %d after %d", seen.timeline, known.timeline
        )
    DatabaseIdentity.objects.update_or_create(pk=1, defaults=seen._asdict())
    return why


def why_put_back(known: Identity | None, seen: Identity, silent: timedelta | None) -> str:
    """In words, why a database counts as put back from a backup; empty where it does not.

    ``silent``: how long ago the last sign of life is that it holds; None where it holds none.
    """
    if seen.target and (known is None or seen.target != known.target):
        return f"it was restored to {seen.target}"
    if known is None:
        return ""
    if (seen.system, seen.database) != (known.system, known.database):
        return "it is a copy in another place than the database that it was"
    if seen.timeline != known.timeline and silent is not None and silent > SILENT_FOR:
        return f"its log began anew, {int(silent.total_seconds())} seconds after the last sign of life"
    return ""
