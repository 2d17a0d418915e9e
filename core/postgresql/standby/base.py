"""The database backend that ``DATABASES`` names for a standby; Django looks for it in a module of this name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.pq import TransactionStatus

from core.postgresql import base

ANSWER_SECONDS: Final = 35.0
"""Longer than a statement may take there: who is silent for so long is gone."""


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL that may be lost at any time, and is then waited for no longer than that.

    Why: a machine that hangs still acknowledges what is sent to it, and the driver would wait for its answer for ever.
    """

    _answer_seconds = ANSWER_SECONDS

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection whose every wait has an end."""
        opened: Any = super().get_new_connection(conn_params)
        wait = opened.wait

        def bounded(asked: Any, *rest: Any, **more: Any) -> Any:
            try:
                return wait(asked, *rest, **{"timeout": self._answer_seconds, **more})
            except psycopg.OperationalError:
                if opened.pgconn.transaction_status == TransactionStatus.ACTIVE:
                    opened.pgconn.finish()  # what it says later would be taken for the answer to something else
                raise

        opened.wait = bounded
        return opened

    @contextmanager
    def answering_within(self, seconds: float) -> Iterator[None]:
        """Wait no longer than that for each answer."""
        self._answer_seconds = seconds
        try:
            yield
        finally:
            self._answer_seconds = ANSWER_SECONDS
