"""Remembers when keys were last used, written in batches so that no request waits for it."""

import contextlib
import logging
import os
import threading
from datetime import datetime, timedelta
from multiprocessing.util import Finalize

from django.core.signals import request_finished
from django.db import Error

from core.clock import now
from merchants.models import ApiKey

FLUSH_EVERY = timedelta(seconds=60)

logger = logging.getLogger("causeway.keys")


class KeyUsage:
    """The last use of each key since it was last written down. One per process, shared by its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[int, datetime] = {}
        self._due_at = now()
        self._process = 0

    def note(self, key_id: int) -> None:
        """Remember that a key was just used."""
        moment = now()
        with self._lock:
            self._seen[key_id] = moment
            if self._process != os.getpid():
                self._begin_process()

    def flush_if_due(self, **_: object) -> None:
        """Write down, at most once a minute. Called after an answer was sent, so that nobody waits."""
        if now() >= self._due_at:
            self.flush()

    def flush(self) -> None:
        """Write down everything seen so far. What the database refuses is kept for the next time."""
        batch = self._taken()
        try:
            write_down(batch)
        except Error:
            logger.warning("last use of %s keys not written yet", len(batch), exc_info=True)
            with self._lock:
                self._seen = batch | self._seen

    def forget(self) -> None:
        """Drop everything seen so far: its database is gone."""
        self._taken()

    def _taken(self) -> dict[int, datetime]:
        with self._lock:
            batch, self._seen = self._seen, {}
            self._due_at = now() + FLUSH_EVERY
        return batch

    def _begin_process(self) -> None:
        """Wait for the first full minute, and flush when the process ends, however it was forked."""
        self._process = os.getpid()
        self._due_at = now() + FLUSH_EVERY
        Finalize(None, self._flush_at_exit, exitpriority=1)

    def _flush_at_exit(self) -> None:
        """Save what can be saved. Why quietly: the logs may already be closed, and a minute of use is no loss."""
        with contextlib.suppress(Exception):
            write_down(self._taken())


usage = KeyUsage()
request_finished.connect(usage.flush_if_due, dispatch_uid="key-usage")


def note_use(key_id: int) -> None:
    """Remember that a key was just used."""
    usage.note(key_id)


def write_down(batch: dict[int, datetime]) -> None:
    """Store the last use of each key."""
    if not batch:
        return
    keys = [ApiKey(id=key_id, last_used_at=moment) for key_id, moment in sorted(batch.items())]
    ApiKey.objects.bulk_update(keys, ["last_used_at"], batch_size=500)
