"""Token buckets: what a limit is, and their levels in a process's own memory.

Why our own: the framework's throttles are neither atomic nor one round trip.
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings

from core.clock import ticks


@dataclass(frozen=True, kw_only=True)
class Limit:
    """``count`` requests per ``window_seconds``; a burst of ``count`` passes at once."""

    count: int
    window_seconds: int

    @property
    def capacity(self) -> float:
        """The bucket's size, scaled by ``RATE_LIMIT_SCALE``; at least one, else nothing would ever pass."""
        return max(1.0, self.count * float(settings.RATE_LIMIT_SCALE))

    @property
    def rate(self) -> float:
        """Tokens that flow back per second."""
        return self.capacity / self.window_seconds


Bucket = tuple[str, Limit]
"""Who is counted, and how much it may ask."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What one request was told: which limit is nearest, what is left of it, when it is full or free again."""

    allowed: bool
    bucket: Bucket
    remaining: int
    wait_seconds: int

    @property
    def headers(self) -> dict[str, str]:
        """``RateLimit-*`` for every answer."""
        return {
            "RateLimit-Limit": str(int(self.bucket[1].capacity)),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.wait_seconds),
        }


class Buckets(Protocol):
    """Where bucket levels are kept."""

    def take(self, wanted: Sequence[Bucket]) -> Verdict:
        """Take one token from every bucket, or from none."""


class MemoryBuckets:
    """Levels in this process: for the embedded default, whose web server is one process."""

    most = 100_000
    """How many levels are kept, about 20 MB. Why a bound: anybody can send from many addresses."""

    def __init__(self) -> None:
        self._levels: dict[Bucket, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Know of nobody: every bucket is full."""
        with self._lock:
            self._levels.clear()

    def take(self, wanted: Sequence[Bucket]) -> Verdict:
        """Take one token from every bucket, or from none."""
        moment = ticks()
        with self._lock:
            levels = [self._level(bucket, moment) for bucket in wanted]
            for bucket, level in zip(wanted, levels, strict=True):
                if level < 1:
                    wait = max(1, math.ceil((1 - level) / bucket[1].rate))
                    return Verdict(allowed=False, bucket=bucket, remaining=0, wait_seconds=wait)
            for bucket, level in zip(wanted, levels, strict=True):
                self._levels[bucket] = (level - 1, moment)
            if len(self._levels) > self.most:
                self._forget(moment)
        nearest, level = min(zip(wanted, levels, strict=True), key=lambda pair: (pair[1] - 1) / pair[0][1].capacity)
        left = level - 1
        wait = math.ceil((nearest[1].capacity - left) / nearest[1].rate)
        return Verdict(allowed=True, bucket=nearest, remaining=int(left), wait_seconds=wait)

    def _level(self, bucket: Bucket, moment: float) -> float:
        limit = bucket[1]
        level, at = self._levels.get(bucket, (limit.capacity, moment))
        return min(limit.capacity, level + (moment - at) * limit.rate)

    def _forget(self, moment: float) -> None:
        """Drop full buckets, which say nothing; if most are not full, the half that was asked longest ago."""
        for bucket in [bucket for bucket in self._levels if self._level(bucket, moment) >= bucket[1].capacity]:
            del self._levels[bucket]
        if len(self._levels) > self.most // 2:
            newest = sorted(self._levels.items(), key=lambda item: item[1][1])[-self.most // 2 :]
            self._levels = dict(newest)
