"""Counting requests in token buckets: levels in Redis, or in this process's memory where no Redis is configured."""

from collections.abc import Sequence
from functools import cache

from django.conf import settings

from core.buckets import Bucket, Buckets, Limit, MemoryBuckets, Verdict
from core.errors import RateLimited


@cache
def buckets() -> Buckets:
    """The store that this deployment uses."""
    if not settings.REDIS_URL:
        return MemoryBuckets()
    from core.redis_buckets import RedisBuckets  # noqa: PLC0415  Why: 5 MB that the embedded default never needs.

    return RedisBuckets(settings.REDIS_URL)


@cache
def shared() -> Buckets:
    """The store of what is asked most, which no request waits for."""
    if not settings.REDIS_URL:
        return MemoryBuckets()
    from core.shared_buckets import SharedBuckets  # noqa: PLC0415  Why: as above.

    return SharedBuckets(settings.REDIS_URL)


def forget() -> None:
    """Know of nobody: each store begins anew."""
    buckets.cache_clear()
    shared.cache_clear()


def take(scope: str, limits: Sequence[Limit]) -> Verdict:
    """Count one request of one caller. Raises: RateLimited with ``Retry-After`` when a bucket is empty."""
    return take_each([(scope, limit) for limit in limits])


def count(wanted: Sequence[Bucket]) -> Verdict:
    """Count one request in several callers' buckets at once; where one of them is empty, in none.

    For what is asked most: no request waits for Redis, and processes learn from each other a moment later.
    """
    return shared().take(wanted)


def count_each(wanted: Sequence[Bucket]) -> Verdict:
    """The same. Raises: RateLimited, and then nothing was taken."""
    return _allowed(count(wanted))


def take_each(wanted: Sequence[Bucket]) -> Verdict:
    """Count one request in several callers' buckets at once, exactly, however many processes count there.

    Raises: RateLimited, and then nothing was taken.
    """
    return _allowed(buckets().take(wanted))


def _allowed(verdict: Verdict) -> Verdict:
    if verdict.allowed:
        return verdict
    scope, limit = verdict.bucket
    raise RateLimited(
        details={
            "limit": int(limit.capacity),
            "window_seconds": limit.window_seconds,
            "retry_after_seconds": verdict.wait_seconds,
            "scope": scope.partition(":")[0],
        },
        headers={"Retry-After": str(verdict.wait_seconds), **verdict.headers},
    )
