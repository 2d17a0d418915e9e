"""What a web process learns by the way and writes down in batches, after an answer was sent, so that nobody waits."""

import contextlib
import logging
import os
import threading
from abc import ABC, abstractmethod
from datetime import timedelta
from multiprocessing.util import Finalize
from typing import Generic, TypeVar

from django.db import Error

from core.clock import now

Batch = TypeVar("Batch")
logger = logging.getLogger("causeway.batches")


class WrittenLater(ABC, Generic[Batch]):
    """A batch of one process, shared by its threads. Subclasses note things under ``_lock``."""

    every: timedelta
    what: str

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

    def flush_if_due(self, **_: object) -> None:
        """Write down when it is time. Called after an answer was sent."""
        if now() >= self._due_at:
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

    def forget(self) -> None:
        """Drop everything noted so far: its database is gone."""
        self._taken()

    def _taken(self) -> Batch:
        with self._lock:
            self._due_at = now() + self.every
            return self._take()

    def _begin_if_new(self) -> None:
        """In a new process: wait for the first full period, and write when it ends, however it was forked.

        Called under the lock.
        """
        if self._process == os.getpid():
            return
        self._process = os.getpid()
        self._due_at = now() + self.every
        Finalize(None, self._flush_at_exit, exitpriority=1)

    def _flush_at_exit(self) -> None:
        """Save what can be saved. Why quietly: the logs may already be closed, and a moment of it is no loss."""
        with contextlib.suppress(Exception):
            self._store(self._taken())
