"""How workers and the clock come back to a broker that was away: within two seconds, however long that was.

Why: kombu doubles its pauses to half a minute, and payments would wait for it after Redis is back.
"""

from typing import Any

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
