"""The database backend that ``DATABASES`` names; Django looks for it in a module of this name."""

from functools import cached_property
from types import TracebackType
from typing import Any

from django.conf import settings
from django.db import OperationalError
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper
from psycopg import _queries
from psycopg.errors import ReadOnlySqlTransaction

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

    @cached_property
    def wrap_database_errors(self) -> "_Errors":
        """Raises the driver's errors as the framework's."""
        return _Errors(self)

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


class _Errors(DatabaseErrorWrapper):
    """Raises the refusal of a server that leads no more as what it is: the database is away.

    Why: the driver counts it among its internal errors. While another server takes over, for a moment all callers would
    be told of a fault of ours.
    """

    wrapper: DatabaseWrapper

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, ReadOnlySqlTransaction):
            self.wrapper.errors_occurred = True
            self.wrapper.close_at = 0  # once the work is over: it answers, but is the wrong one
            raise OperationalError(*error.args).with_traceback(traceback) from error
        super().__exit__(kind, error, traceback)
