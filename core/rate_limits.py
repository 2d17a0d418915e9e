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


def take(scope: str, limits: Sequence[Limit]) -> Verdict:
    """Count one request of one caller. Raises: RateLimited with ``Retry-After`` when a bucket is empty."""
    return take_each([(scope, limit) for limit in limits])


def take_each(wanted: Sequence[Bucket]) -> Verdict:
    """Count one request in several callers' buckets at once. Raises: RateLimited, and then nothing was taken."""
    verdict = buckets().take(wanted)
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
