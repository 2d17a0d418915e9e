"""The tables whose rows come due, known to readiness by name. Apart from the view: workers need no web framework."""

from collections.abc import Callable
from datetime import datetime

OldestDue = Callable[[], datetime | None]
"""When the oldest row of a queue came due, or None when nothing is due."""

QUEUES: dict[str, OldestDue] = {}


def register_queue(name: str, oldest_due: OldestDue) -> None:
    """Have readiness watch a table. Called by apps when they are ready."""
    QUEUES[name] = oldest_due
