"""The broker of the production form: how wake-ups go to it, and how everybody comes back to it when it was away.

Within two seconds, however long that was. Why: kombu doubles its pauses to half a minute, and payments would wait for
it after Redis is back. What waits there is bounded: a message that expired stays until somebody takes it.
"""

from typing import Any

from amqp.exceptions import ChannelError
from celery import Celery
from celery.app.amqp import AMQP
from kombu import Connection

from config.schedule import SCHEDULE

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 2.0
MOST_WAITING = 200
"""Messages in a queue, some 250 KB. Why so few: one wakes a worker, and one that comes back reads them all first."""
SELDOM_SECONDS = 60.0
"""What is sent no more often than that finds room in a queue up to twice as long: the next one comes late."""
MOST_WAKE_UPS = 100
"""As many wait where a request sends one more. Why fewer: what the clock sends finds room behind them."""
FRESH_SECONDS = 2.0
"""After so long a message that comes each second is worth nothing, whoever sent it.

Why the same for the clock and for requests: the oldest fresh message is taken first. Where a worker has too much to do,
a wake-up that stayed fresh for longer went before each sweep of the clock's, and refunds were never looked at.
"""


class ReturningConnection(Connection):
    """A connection that is tried again at least every two seconds, and that a worker outlives."""

    def ensure_connection(self, *arguments: Any, **words: Any) -> Any:
        """Connect, or try again until it can be. Takes what kombu's own takes."""
        pauses = {"interval_start": FIRST_PAUSE_SECONDS, "interval_step": 0.5, "interval_max": LONGEST_PAUSE_SECONDS}
        return super().ensure_connection(*arguments, **{**pauses, **words})

    def collect(self, socket_timeout: float | None = None) -> None:
        """Let go of a lost connection and its channels.

        Why the usual channel by hand: kombu (5.7) leaves it where another one could not be closed. Celery then closes
        the connection once more, the channel would give back the message that a task is at, and asks a transport that
        is gone: an AttributeError, which ended the worker. Whoever uses the connection again gets a new channel.
        """
        try:
            super().collect(socket_timeout)
        finally:
            self._default_channel = None


class Broker(AMQP):
    """Celery's, with such connections."""

    Connection = ReturningConnection


class Messages:
    """Carries wake-ups as messages: see ``core.dispatch``."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def carry(self, task_name: str, queue: str | None) -> None:
        """Send a message, which is worth nothing after some seconds; none where enough are waiting."""
        with self._app.producer_or_acquire() as producer:
            if _waiting(producer.channel, queue or SCHEDULE[task_name].worker) < MOST_WAKE_UPS:
                self._app.send_task(task_name, queue=queue, expires=FRESH_SECONDS, retry=False, producer=producer)

    def look(self) -> None:
        """Make a connection, once."""
        with self._app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=0)


def has_room(channel: Any, task_name: str, queue: str | None = None) -> bool:
    """Whether another message of the clock's may wait in the task's usual queue, or in the one that is named."""
    turn = SCHEDULE[task_name]
    most = MOST_WAITING * 2 if turn.every >= SELDOM_SECONDS else MOST_WAITING
    return _waiting(channel, queue or turn.worker) < most


def _waiting(channel: Any, queue: str) -> int:
    """How many messages a queue holds."""
    try:
        waiting: int = channel.queue_declare(queue, passive=True).message_count
    except ChannelError:  # Redis knows no queue that holds none
        return 0
    return waiting
