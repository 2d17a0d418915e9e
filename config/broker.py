"""The broker of the production form: how wake-ups go to it, and how everybody comes back to it when it was away.

Within two seconds, however long that was. Why: kombu doubles its pauses to half a minute, and payments would wait for
it after Redis is back.
"""

from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from kombu import Connection

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 2.0


class ReturningConnection(Connection):
    """A connection that is tried again at least every two seconds."""

    def ensure_connection(self, *arguments: Any, **words: Any) -> Any:
        """Connect, or try again until it can be. Takes what kombu's own takes."""
        pauses = {"interval_start": FIRST_PAUSE_SECONDS, "interval_step": 0.5, "interval_max": LONGEST_PAUSE_SECONDS}
        return super().ensure_connection(*arguments, **{**pauses, **words})


class Broker(AMQP):
    """Celery's, with such connections."""

    Connection = ReturningConnection


class Messages:
    """Carries wake-ups as messages: see ``core.dispatch``."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def carry(self, task_name: str, queue: str | None) -> None:
        """Send a message, which is worth nothing after five seconds."""
        self._app.send_task(task_name, queue=queue, expires=5, retry=False)

    def look(self) -> None:
        """Make a connection, once."""
        with self._app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=0)
