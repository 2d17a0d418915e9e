"""Calls that come together: lets a call wait for another one under the same name, and know that it did.

Only to tell them apart. What must happen once is held by row locks and unique constraints.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from django.db import connection, transaction

_inside: Counter[str] = Counter()
_registry = Lock()


@contextmanager
def entering(name: str) -> Iterator[bool]:
    """Open a transaction under a name; yields whether somebody else was inside when this call came.

    On PostgreSQL whoever was inside, in any process, has committed or rolled back by then. On SQLite only this
    process is seen; there transactions that write wait for each other anyway.
    Locks: an advisory one by the name, until the transaction ends; before any row.
    """
    if connection.vendor == "postgresql":
        with transaction.atomic():
            yield _join_on_postgresql(name)
    else:
        with _registered(name) as was_busy, transaction.atomic():
            yield was_busy


def _join_on_postgresql(name: str) -> bool:
    """Why those who wait share the lock: when the first one leaves, all of them go on at once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        is_alone: bool = cursor.fetchone()[0]
        if not is_alone:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", [name])
    return not is_alone


@contextmanager
def _registered(name: str) -> Iterator[bool]:
    with _registry:
        was_busy = _inside[name] > 0
        _inside[name] += 1
    try:
        yield was_busy
    finally:
        with _registry:
            _inside[name] -= 1
            if not _inside[name]:
                del _inside[name]
