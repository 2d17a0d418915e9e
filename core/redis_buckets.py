"""Token buckets in Redis, shared by all web processes: one atomic script, one round trip.

The clock is Redis's own, because the machines that share it may disagree. A moment that is handed in counts instead:
then Redis keeps the levels for an hour more, since its own clock runs on where that one stands.
"""

import hashlib
import math
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import redis

from core.buckets import Bucket, MemoryBuckets, Verdict
from core.clock import ticks

_LEVELS = """
local handed = tonumber(ARGV[1])
local clock = redis.call('TIME')
local now = handed or (clock[1] + clock[2] / 1000000)
local spare = handed and 3600000 or 1000
local function level_of(key, capacity, rate)
  local stored = redis.call('HMGET', key, 'l', 't')
  local flowed_back = math.max(0, now - (tonumber(stored[2]) or now)) * rate
  return math.min(capacity, (tonumber(stored[1]) or capacity) + flowed_back)
end
local function keep(key, level, capacity, rate)
  redis.call('HSET', key, 'l', tostring(level), 't', string.format('%.6f', now))
  redis.call('PEXPIRE', key, math.ceil(math.max(capacity, capacity - level) / rate * 1000) + spare)
end
"""
"""How both scripts read and write a level. One that is surely full again says nothing, and is forgotten."""
_TAKE = f"""{_LEVELS}
local levels = {{}}
for i, key in ipairs(KEYS) do
  local capacity, rate = tonumber(ARGV[i * 2]), tonumber(ARGV[i * 2 + 1])
  levels[i] = level_of(key, capacity, rate)
  if levels[i] < 1 then return {{0, i, 0, tostring(math.max(1, (1 - levels[i]) / rate))}} end
end
local nearest, share = 1, nil
for i, key in ipairs(KEYS) do
  local capacity, rate = tonumber(ARGV[i * 2]), tonumber(ARGV[i * 2 + 1])
  keep(key, levels[i] - 1, capacity, rate)
  local left = (levels[i] - 1) / capacity
  if share == nil or left < share then share = left; nearest = i end
end
local capacity, left = tonumber(ARGV[nearest * 2]), levels[nearest] - 1
return {{1, nearest, math.floor(left), tostring((capacity - left) / tonumber(ARGV[nearest * 2 + 1]))}}
"""
MOST_OWED = 100
"""Capacities below nothing. Why so many: what is not owed is given away, and each process may give one too much."""
_SETTLE = f"""{_LEVELS}
local levels = {{}}
for i, key in ipairs(KEYS) do
  local capacity, rate = tonumber(ARGV[i * 3 - 1]), tonumber(ARGV[i * 3])
  local level = math.max(-{MOST_OWED} * capacity, level_of(key, capacity, rate) - tonumber(ARGV[i * 3 + 1]))
  keep(key, level, capacity, rate)
  levels[i] = tostring(level)
end
return levels
"""
"""What was taken already is taken off, however little is left."""
_REST_SECONDS = 1.0
"""How long Redis is left alone after it failed. Why: else each request would wait for it anew."""


@cache
def _name_of(script: str) -> str:
    """By which Redis knows a script that it has run before."""
    return hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()


class RedisBuckets:
    """Levels in Redis; in this process's memory while Redis cannot be reached."""

    key_prefix = "rl"
    clock: Callable[[], float] | None = None
    """Asked for the moment in place of Redis, where one is set: a stopped world stops the levels by it."""

    def __init__(self, url: str) -> None:
        self._pool = redis.ConnectionPool.from_url(url, socket_timeout=0.25, socket_connect_timeout=0.25)
        self._of_thread = threading.local()
        self._fallback = MemoryBuckets()
        self._rests_until = 0.0

    def take(self, wanted: Sequence[Bucket]) -> Verdict:
        """Take one token from every bucket, or from none."""
        if ticks() < self._rests_until:
            return self._fallback.take(wanted)
        numbers = [number for _, limit in wanted for number in (limit.capacity, limit.rate)]
        try:
            allowed, nearest, remaining, wait = self._run(_TAKE, wanted, numbers)
        except redis.RedisError:
            self._rests_until = ticks() + _REST_SECONDS
            return self._fallback.take(wanted)
        return Verdict(
            allowed=bool(allowed),
            bucket=wanted[nearest - 1],
            remaining=int(remaining),
            wait_seconds=math.ceil(float(wait)),
        )

    def settle(self, taken: Sequence[tuple[Bucket, int]]) -> list[float]:
        """Take off what was taken already from each bucket; what is left of each. Raises: RedisError."""
        numbers = [number for (_, limit), count in taken for number in (limit.capacity, limit.rate, count)]
        return [float(level) for level in self._run(_SETTLE, [bucket for bucket, _ in taken], numbers)]

    def _run(self, script: str, buckets: Sequence[Bucket], numbers: Sequence[float]) -> Any:
        """A script's answer, which has no type upstream. Raises: RedisError.

        Why a connection per thread instead of the client's own way: that one costs every request a tenth of its
        processor time.
        """
        connection: Any = getattr(self._of_thread, "connection", None)
        if connection is None:
            connection = self._of_thread.connection = self._pool.make_connection()
        keys = [f"{self.key_prefix}:{scope}:{limit.count}:{limit.window_seconds}" for scope, limit in buckets]
        arguments = [len(keys), *keys, "" if self.clock is None else self.clock(), *numbers]
        connection.send_command("EVALSHA", _name_of(script), *arguments)
        try:
            return connection.read_response()
        except redis.exceptions.NoScriptError:
            connection.send_command("EVAL", script, *arguments)
            return connection.read_response()
