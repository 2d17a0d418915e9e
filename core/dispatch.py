"""The kinds of workers, and how one is woken early. The row is the queue: a wake-up that is lost costs a second."""

import logging
import os
import threading
import time
from itertools import starmap
from typing import Final, Protocol

from django.db import transaction

MONEY, DELIVERY, UPKEEP, READER = "money", "delivery", "upkeep", "reader"
WORKERS: Final = (MONEY, DELIVERY, UPKEEP, READER)
"""Each kind has a queue of messages of its own: what holds one up holds up no other."""
BEAT: Final = "beat"

SIGN_OF_LIFE_SECONDS: Final = 2.0
"""How often each worker and the clock say that they are alive."""
REST_SECONDS = 1.0
"""How long the broker is left alone after a message could not be sent."""

LIFE: Final = "core.show_life"
"""The task that asks a kind of worker for its sign of life."""

logger = logging.getLogger("causeway.dispatch")


class Carrier(Protocol):
    """Brings wake-ups to who is to be woken. Both may raise whatever they like."""

    def carry(self, task_name: str, queue: str | None) -> None:
        """Bring one, to the task's usual queue unless one is named."""

    def look(self) -> None:
        """Return where wake-ups can be brought now."""


class _Nobody:
    """For a command beside the embedded default: the clock of the other process finds the row by itself."""

    def carry(self, task_name: str, queue: str | None) -> None:
        pass

    def look(self) -> None:
        pass


_carrier: Carrier = _Nobody()


def carried_by(carrier: Carrier) -> None:
    """Have this process's wake-ups brought by that. Called once, by who wires the form."""
    global _carrier  # noqa: PLW0603 - a process has one
    _carrier = carrier


class _Sender:
    """Sends wake-ups from a thread of its own, so that nobody who has work to do waits for the broker.

    Why each is kept once: one message wakes a worker for every row that is due.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget what was wanted. Why after each fork: the child has its parent's memory, and not its threads."""
        self._wanted: dict[tuple[str, str | None], None] = {}
        self._changed = threading.Condition()
        self._runs = False

    def want(self, task_name: str, queue: str | None = None) -> None:
        """Have a message sent soon, to its usual queue unless one is named."""
        with self._changed:
            self._wanted[task_name, queue] = None
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._run, name="wake-ups", daemon=True).start()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted)
                messages, self._wanted = self._wanted, {}
            if not all(starmap(_send, messages)):
                time.sleep(REST_SECONDS)


_sender = _Sender()
os.register_at_fork(after_in_child=_sender.reset)


def nudge(task_name: str) -> None:
    """Ask for a sweep soon, once the current transaction has committed. Never waits, and never fails.

    Why by name: services must not import tasks. Why a broker that is away matters little: the beat's sweep finds the
    row, and the first message after it is back wakes a worker.
    """
    transaction.on_commit(lambda: _sender.want(task_name))


def ask_for_life(queue: str) -> None:
    """Ask who works on a queue to say that it is alive. Never waits, and never fails."""
    _sender.want(LIFE, queue)


def _send(task_name: str, queue: str | None) -> bool:
    try:
        _carrier.carry(task_name, queue)
    except Exception as error:
        logger.info("wake-up of %s not sent: %s", task_name, error)
        return False
    return True


def broker_answers() -> bool:
    """Whether wake-ups can be brought now."""
    try:
        _carrier.look()
    except Exception as error:
        logger.info("broker unreachable: %s", error)
        return False
    return True
