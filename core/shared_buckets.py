"""Token buckets that no request waits for: counted in memory, and brought together in Redis twenty times a second.

What is too much: a process knows what it took itself, and of others what it learnt when it last took, so a caller may
get a bucket's capacity from each of them. What was taken too much is owed and flows back first: in the long run nobody
gets more than the limit and one burst of each process. One process alone is exact.
Source: docs/adr/0076.
"""

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

import redis

from core.buckets import Bucket, MemoryBuckets, Verdict
from core.clock import ticks
from core.redis_buckets import RedisBuckets

ROUND_SECONDS: Final = 0.05
REST_SECONDS: Final = 1.0
"""How long Redis is left alone after it failed; every process counts for itself meanwhile."""
MOST_IN_A_ROUND: Final = 500
"""Buckets in one question. Why: Redis does nothing else while it answers."""

logger = logging.getLogger("causeway.limits")


class SharedBuckets(MemoryBuckets):
    """Levels in this process, which learn from Redis what other processes took."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._shared = RedisBuckets(url)
        self._taken: Counter[Bucket] = Counter()
        self._is_due = threading.Event()
        self._process = 0

    def take(self, wanted: Sequence[Bucket]) -> Verdict:
        """Take one token from every bucket, or from none."""
        verdict = super().take(wanted)
        if verdict.allowed:
            with self._lock:
                self._taken.update(wanted)
            self._is_due.set()
            if self._process != os.getpid():  # this one is new, or was forked
                self._begin()
        return verdict

    def come_together(self) -> None:
        """Tell Redis what was taken here since the last time, and learn the levels of the same buckets."""
        with self._lock:
            taken, self._taken = list(self._taken.items()), Counter()
        for begin in range(0, len(taken), MOST_IN_A_ROUND):
            some = taken[begin : begin + MOST_IN_A_ROUND]
            moment = ticks()  # before: what flows back while Redis answers is nobody's loss
            levels = self._shared.settle(some)
            with self._lock:
                for (bucket, _), level in zip(some, levels, strict=True):
                    self._levels[bucket] = (level - self._taken[bucket], moment)

    def _begin(self) -> None:
        with self._lock:
            if self._process == os.getpid():
                return
            self._process = os.getpid()
        threading.Thread(target=self._go_on, name="limits", daemon=True).start()

    def _go_on(self) -> None:
        while True:
            self._is_due.wait()
            self._is_due.clear()
            time.sleep(ROUND_SECONDS)
            try:
                self.come_together()
            except redis.RedisError:
                time.sleep(REST_SECONDS)
            except Exception:
                logger.exception("what callers may ask could not be brought together")
