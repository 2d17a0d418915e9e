"""What ``manage.py migrate`` asks of PostgreSQL: limits of its own, nobody beside it, an end in words.

Source: docs/upgrade.md; docs/adr/0095.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from core.migrating import PATIENCE_MILLISECONDS, TableInUse, in_short_tries

AGAIN = "What was applied stays. Run migrate again; programs of before go on meanwhile. See docs/upgrade.md."
_ALONE = "SELECT pg_try_advisory_lock(hashtextextended('migrate', 0))"


def migrate_patiently(connection: Any, migrate: Callable[[], object], say: Callable[[str], None]) -> None:
    """Migrate as often as tables are in use, a limited number of times. ``say`` gets a line for each.

    Raises: CommandError with what to do, where a table stays in use, another one migrates, or somebody ends this one.
    """
    if settings.DATABASE_POOLED:
        raise CommandError(
            "migrate goes past the pool: give it the DATABASE_URL of PostgreSQL itself, and DATABASE_POOLED=false."
        )
    with _ended_as_by_keyboard(), _limits_of_its_own(connection):
        with connection.cursor() as cursor:
            cursor.execute(_ALONE)
            if not cursor.fetchone()[0]:
                raise CommandError("Another migrate is at work on this database. Wait for its end.")
        try:
            in_short_tries(connection, migrate, say=say)
        except TableInUse as error:
            raise CommandError(f"{error} {AGAIN}") from error
        except KeyboardInterrupt:
            raise CommandError(f"Interrupted. {AGAIN}") from None


@contextmanager
def _limits_of_its_own(connection: Any) -> Iterator[None]:
    """A connection that waits for locks for a moment only, and for a statement as long as it takes.

    Why by how it is opened: ``RESET``, with which a migration ends what it set, goes back to that. The lock that says
    who migrates ends with it.
    """
    before = connection.settings_dict
    connection.close()
    limits = f"-c lock_timeout={PATIENCE_MILLISECONDS} -c statement_timeout=0"
    connection.settings_dict = {**before, "OPTIONS": {**before["OPTIONS"], "options": limits}}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = before


@contextmanager
def _ended_as_by_keyboard() -> Iterator[None]:
    """Have SIGTERM do what Ctrl-C does: the statement is cancelled, and migrations take back what they prepared."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
