"""Wakes a worker early. The row is the queue: a lost wake-up costs a second, never the work."""

import logging

from celery import current_app
from django.db import transaction

logger = logging.getLogger("causeway.dispatch")


def nudge(task_name: str) -> None:
    """Ask for a sweep soon, once the current transaction has committed.

    Why by name: services must not import tasks. Why failures are only logged: the beat's sweep finds the row.
    """
    transaction.on_commit(lambda: _send(task_name))


def _send(task_name: str) -> None:
    try:
        current_app.send_task(task_name, expires=5, retry=False)
    except Exception as error:
        logger.info("wake-up of %s not sent: %s", task_name, error)


def broker_answers() -> bool:
    """Whether a connection to the broker can be made now."""
    try:
        with current_app.connection_for_write() as connection:
            connection.connect()
    except Exception as error:
        logger.info("broker unreachable: %s", error)
        return False
    return True
