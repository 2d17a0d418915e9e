"""What can happen to a process at a point: it dies, it meets an error, it loses its database, it is slow."""

import os
import signal
from enum import StrEnum

from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from tests.machine import pause

DELAY_SECONDS = float(os.environ.get("CRASH_DELAY_SECONDS", "5"))


class Action(StrEnum):
    KILL = "kill"
    RAISE = "raise"
    DROP = "drop"
    DELAY = "delay"


class Planted(Exception):
    """An error that nobody expects at this place."""


def happen(action: Action, side: str, connection: BaseDatabaseWrapper | None) -> None:
    """Let it happen. ``connection`` is the one that commits, if this is a commit.

    Raises: OperationalError at a commit, as a database does; Planted at a call to the outside.
    """
    if action is Action.KILL:
        os.kill(os.getpid(), signal.SIGKILL)
    elif action is Action.DELAY:
        pause(DELAY_SECONDS)
    elif action is Action.DROP:
        _drop(side, connection)
    elif connection is None:
        raise Planted(f"planted {side} a call")
    else:
        raise OperationalError(f"planted {side} a commit")


def _drop(side: str, connection: BaseDatabaseWrapper | None) -> None:
    """Cut this thread's connections. A commit that was sent already gets no reply: its outcome is unknown to us.

    Why nothing is raised before a commit: the commit itself finds the connection gone.
    """
    for one in connections.all(initialized_only=True) if connection is None else (connection,):
        if one.connection is not None:
            one.connection.close()
    if side == "after" and connection is not None:
        raise OperationalError("server closed the connection unexpectedly")
