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
        return self.size(settings.RATE_LIMIT_SCALE)[0]

    @property
    def rate(self) -> float:
        """Tokens that flow back per second."""
        return self.size(settings.RATE_LIMIT_SCALE)[1]

    def size(self, scale: float) -> tuple[float, float]:
        """Capacity and rate at a scale. Why apart: asking for the setting costs more than all the arithmetic."""
        capacity = max(1.0, self.count * float(scale))
        return capacity, capacity / self.window_seconds


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
    few = 1_000
    """Of so many, or of twice what was left last time, the full ones are dropped. Why so soon: each payment has two."""

    def __init__(self) -> None:
        self._levels: dict[Bucket, tuple[float, float]] = {}
        self._lock = threading.Lock()
        self._looked_through = 0

    @property
    def kept(self) -> int:
        """How many levels are kept."""
        return len(self._levels)

    def forget(self) -> None:
        """Know of nobody: every bucket is full."""
        with self._lock:
            self._levels.clear()
            self._looked_through = 0

    def take(self, wanted: Sequence[Bucket]) -> Verdict:
        """Take one token from every bucket, or from none."""
        moment = ticks()
        scale = settings.RATE_LIMIT_SCALE
        sizes = [limit.size(scale) for _, limit in wanted]
        with self._lock:
            levels = [self._level(bucket, size, moment) for bucket, size in zip(wanted, sizes, strict=True)]
            for bucket, level, (_, rate) in zip(wanted, levels, sizes, strict=True):
                if level < 1:
                    wait = max(1, math.ceil((1 - level) / rate))
                    return Verdict(allowed=False, bucket=bucket, remaining=0, wait_seconds=wait)
            for bucket, level in zip(wanted, levels, strict=True):
                self._levels[bucket] = (level - 1, moment)
            if len(self._levels) > min(max(self.few, 2 * self._looked_through), self.most):
                self._forget(moment)
        shares = [(level - 1) / capacity for level, (capacity, _) in zip(levels, sizes, strict=True)]
        nearest = shares.index(min(shares))
        left, (capacity, rate) = levels[nearest] - 1, sizes[nearest]
        wait = math.ceil((capacity - left) / rate)
        return Verdict(allowed=True, bucket=wanted[nearest], remaining=int(left), wait_seconds=wait)

    def _level(self, bucket: Bucket, size: tuple[float, float], moment: float) -> float:
        capacity, rate = size
        level, at = self._levels.get(bucket, (capacity, moment))
        return min(capacity, level + (moment - at) * rate)

    def _forget(self, moment: float) -> None:
        """Drop full buckets, which say nothing; at the bound, if most are not, the half that was asked longest ago."""
        scale, is_at_most = settings.RATE_LIMIT_SCALE, len(self._levels) > self.most
        sizes = {bucket: bucket[1].size(scale) for bucket in self._levels}
        for bucket in [bucket for bucket, size in sizes.items() if self._level(bucket, size, moment) >= size[0]]:
            del self._levels[bucket]
        if is_at_most and len(self._levels) > self.most // 2:
            newest = sorted(self._levels.items(), key=lambda item: item[1][1])[-self.most // 2 :]
            self._levels = dict(newest)
        self._looked_through = len(self._levels)
