"""Changes tables that are in use: by short tries with pauses, so that nobody stands behind a change that has to wait.

Source: docs/upgrade.md, How migrate waits; docs/adr/0095.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.db import Error, OperationalError, transaction

TRIES = 150
"""For one change: five and a half minutes."""
PAUSE_SECONDS = 2
"""Whoever stood behind a try goes first."""
PATIENCE_MILLISECONDS = 250
VACUUM_EVERY, VACUUM_MILLISECONDS = 10, 1_500
"""Each tenth try is so long. Why: PostgreSQL's own vacuum gives way to whoever waits longer than its second.

Source: https://www.postgresql.org/docs/15/runtime-config-locks.html (``deadlock_timeout``).
"""
_IN_USE = frozenset({"55P03", "40P01"})
"""A lock that was not had in time; two that waited for each other."""
_OLDEST = """
SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::bigint FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
ORDER BY xact_start, pid LIMIT 1
"""


class TableInUse(Exception):
    """A table was in use in each try; the text says by whom it may have been. Nothing of the change was made."""


def in_short_tries(
    connection: Any, change: Callable[[], object], *, tries: int = TRIES, say: Callable[[str], None] = lambda _: None
) -> None:
    """Make a change as soon as its tables are free. ``say`` gets a line for each try that had to be given up.

    Raises: TableInUse after so many tries; whatever else the change raises.
    Locks: what the change takes. A try waits for them for 250 ms, each tenth for 1.5 s; who comes behind, as long.
    """
    for number in range(1, tries + 1):
        limit = PATIENCE_MILLISECONDS if number % VACUUM_EVERY else VACUUM_MILLISECONDS
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {limit}")
        try:
            change()
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) not in _IN_USE:
                raise
            found = oldest_transaction(connection)
            say(f"A table is in use. {found} Try {number} of {tries}.")
            if number == tries:
                raise TableInUse(f"A table was in use in each of {tries} tries. {found}") from error
        else:
            return
        time.sleep(PAUSE_SECONDS)


def oldest_transaction(connection: Any) -> str:
    """A sentence about the transaction that is open for longest, which most often is whom a change waits for."""
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST)
        row = cursor.fetchone()
    if row is None:
        return "No transaction is open any more."
    return f"The longest open transaction is {row[1]} s old (process {row[0]} of PostgreSQL)."


@contextmanager
def taken_back_unless_done(connection: Any, undo: Callable[[], object]) -> Iterator[None]:
    """Undo what a block left behind when it does not come to its end, as far as the database can be reached then."""
    try:
        yield
    except BaseException:
        with suppress(Error, TableInUse):
            in_short_tries(connection, undo, tries=2 * VACUUM_EVERY)
        raise


def all_or_nothing(connection: Any, change: Callable[[], object]) -> Callable[[], None]:
    """The change in a transaction of its own."""

    def made() -> None:
        with transaction.atomic(using=connection.alias):
            change()

    return made
