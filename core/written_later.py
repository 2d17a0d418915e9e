"""What a process learns by the way and writes down in batches, when it has nothing else to do.

Who calls: ``config.leftovers`` in web processes, so that no answer waits for it.
"""

import contextlib
import logging
import os
import threading
from abc import ABC, abstractmethod
from datetime import timedelta
from multiprocessing.util import Finalize
from typing import Generic, TypeVar

from django.db import Error, close_old_connections

from core.clock import now

Batch = TypeVar("Batch")
logger = logging.getLogger("causeway.batches")


class WrittenLater(ABC, Generic[Batch]):
    """A batch of one process, shared by its threads. Subclasses note things under ``_lock``."""

    every: timedelta
    what: str
    waits = False
    """Whether something was noted since it was last written down."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due_at = now()
        self._process = 0

    @abstractmethod
    def _take(self) -> Batch:
        """Everything noted so far, which is then forgotten. Called under the lock."""

    @abstractmethod
    def _store(self, batch: Batch) -> None:
        """Write a batch down; an empty one is none."""

    @abstractmethod
    def _put_back(self, batch: Batch) -> None:
        """Keep what the database refused, as far as there is room. Called under the lock."""

    def is_due(self) -> bool:
        """Whether something waits whose time has come."""
        return self.waits and now() >= self._due_at

    def take_turn(self) -> None:
        """Write down what waits, on this thread's connection. Why nothing is raised: nobody is there to hear of it."""
        if not self.waits:
            return
        close_old_connections()
        try:
            self.flush()
        except Exception:
            logger.exception("%s could not be written", self.what)

    def flush_if_due(self, **_: object) -> None:
        """Write down when it is time."""
        if self.is_due():
            self.flush()

    def flush(self) -> None:
        """Write down everything noted so far. What the database refuses is kept for the next time."""
        batch = self._taken()
        try:
            self._store(batch)
        except Error:
            logger.warning("%s not written yet", self.what, exc_info=True)
            with self._lock:
                self._put_back(batch)
                self.waits = True

    def forget(self) -> None:
        """Drop everything noted so far: its database is gone."""
        self._taken()

    def _taken(self) -> Batch:
        with self._lock:
            self._due_at, self.waits = now() + self.every, False
            return self._take()

    def _begin_if_new(self) -> None:
        """Something is noted. In a new process: wait for the first full period, and write when it ends.

        Called under the lock.
        """
        self.waits = True
        if self._process == os.getpid():
            return
        self._process = os.getpid()
        self._due_at = now() + self.every
        Finalize(None, self._flush_at_exit, exitpriority=1)

    def _flush_at_exit(self) -> None:
        """Save what can be saved. Why quietly: the logs may already be closed, and a moment of it is no loss."""
        with contextlib.suppress(Exception):
            self._store(self._taken())
