"""Lines by which a log tells a quiet process from a dead one: it started, it lives (once a minute), it stopped."""

import logging
import os
import threading
from multiprocessing.util import Finalize

from core.repeats import OncePerCause

EVERY_SECONDS = 60.0
_LAST = 0
"""Priority at exit: after everything that still has something to write."""

logger = logging.getLogger("causeway.process")


def begin(what: str) -> None:
    """Say that this process started, and go on until it ends. ``what``: what the process is for, as people call it.

    Why not ``atexit``: processes that another one forked leave without it.
    """
    logger.info("%s started, process %d", what, os.getpid())
    Finalize(None, logger.info, args=("%s stopped, process %d", what, os.getpid()), exitpriority=_LAST)
    threading.Thread(target=_go_on, args=(what,), name="life line", daemon=True).start()


def say_alive(what: str) -> None:
    """One line, with how many lines a cause that goes on has left out."""
    filters = (one for handler in logging.getLogger().handlers for one in handler.filters)
    left_out = sum(one.take_left_out() for one in filters if isinstance(one, OncePerCause))
    if left_out:
        logger.info("%s alive; %d repeated lines were left out", what, left_out)
    else:
        logger.info("%s alive", what)


def _go_on(what: str) -> None:
    while not _NEVER.wait(EVERY_SECONDS):
        say_alive(what)


_NEVER = threading.Event()
