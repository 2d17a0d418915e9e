"""The database backend that ``DATABASES`` names; Django looks for it in a module of this name."""

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base
from psycopg import _queries

from core.clock import ticks

TRUSTED_SECONDS = 1.0

# Why: the driver keeps what it found in a statement only up to 50 parameters. Creating an intent has 60, and
# reading its statement anew took a tenth of the request's processor time.
_queries.MAX_CACHED_STATEMENT_PARAMS = 100


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL; a connection is asked whether it lives at most once a second.

    Why: Django asks at the first query of every request, which is one round trip in three. A connection that
    dies within the second fails one request with 503 and is replaced after it.
    """

    health_check_done: bool
    _asked_at = 0.0

    def close_if_health_check_failed(self) -> None:
        """Close the connection if it is dead, unless it answered just now.

        Why that is settled for the whole request: asked in the middle of a transaction, it would begin another one.
        """
        if self.health_check_done:
            return
        if ticks() - self._asked_at < TRUSTED_SECONDS:
            self.health_check_done = True
            return
        super().close_if_health_check_failed()
        self._asked_at = ticks()

    def held_apart(self) -> "DatabaseWrapper":
        """Another connection, in a transaction that stays open until it is closed, and writes nothing."""
        made: DatabaseWrapper = self.copy()
        made.set_autocommit(False)
        return made

    def chunked_cursor(self) -> Any:
        """A cursor that fetches as it is read; where a pool lends connections, inside a transaction only.

        Why: outside one, the next fetch would ask another connection, which knows no such cursor.
        """
        if settings.DATABASE_POOLED and not self.in_atomic_block:
            return self.cursor()
        return super().chunked_cursor()
