"""The two stores of token buckets give the same verdicts, are exact under threads, and never fail a request."""

import random
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from django.conf import settings
from pytest_django import Settings

from core.buckets import Bucket, Buckets, Limit, MemoryBuckets
from core.redis_buckets import RedisBuckets
from core.shared_buckets import SharedBuckets
from tests.machine import PATIENCE_SECONDS
from tests.payments.world import World

SLOW = Limit(count=5, window_seconds=3600)
SLOWER = Limit(count=3, window_seconds=36_000)
SECOND = Limit(count=10, window_seconds=1)


@pytest.fixture(autouse=True)
def _as_by_default(settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 1.0


@pytest.fixture
def shared() -> RedisBuckets:
    """Buckets in a real Redis, where each test has names of its own."""
    return RedisBuckets(settings.REDIS_URL)


def take_from(store: Buckets, *wanted: Bucket) -> tuple[bool, str, int, int, int]:
    told = store.take(wanted)
    return told.allowed, told.bucket[0], told.bucket[1].count, told.remaining, told.wait_seconds


@pytest.mark.spec("Contract 13.3")
def test_a_burst_passes_and_then_nothing_from_all_buckets_or_none() -> None:
    store = MemoryBuckets()
    assert [store.take([("a", SLOW)]).remaining for _ in range(5)] == [4, 3, 2, 1, 0]
    refused = store.take([("a", SLOW)])
    assert (refused.allowed, refused.remaining, refused.wait_seconds) == (False, 0, 720)
    both = [("c", SLOW), ("b", SLOWER)]
    seen = [take_from(store, *both)[:4] for _ in range(4)]
    assert seen == [(left >= 0, "b", 3, max(0, left)) for left in (2, 1, 0, -1)]
    assert store.take([("c", SLOW)]).remaining == 1


def test_what_is_full_again_is_dropped_long_before_there_is_no_room(world: World) -> None:
    """A worker for money counts each payment by itself for a minute, and lives for months."""
    store = MemoryBuckets()
    most = 0
    for number in range(20_000):
        store.take([(f"leg:{number}", SECOND)])
        most = max(most, store.kept)
        if number % 500 == 0:
            world.wait(1)
    assert most == store.few
    for number in range(3 * store.few):
        store.take([(f"intent:{number}", SLOW)])
    assert [store.take([(f"intent:{number}", SLOW)]).remaining for number in (0, 3 * store.few - 1)] == [3, 3]


def flows_back(store: Buckets, world: World) -> None:
    """Ten a second: all at once, then one for each tenth of a second, and never more than ten."""
    assert [store.take([("a", SECOND)]).allowed for _ in range(11)] == [True] * 10 + [False]
    world.wait(0.25)
    assert [store.take([("a", SECOND)]).allowed for _ in range(3)] == [True, True, False]
    world.wait(60)
    assert [store.take([("a", SECOND)]).allowed for _ in range(11)] == [True] * 10 + [False]


@pytest.mark.spec("Contract 13.3")
def test_tokens_flow_back(world: World) -> None:
    flows_back(MemoryBuckets(), world)


def test_strangers_cannot_fill_the_memory_and_full_buckets_are_forgotten_first(world: World) -> None:
    store = MemoryBuckets()
    store.most = 50
    for number in range(1000):
        store.take([(f"stranger {number}", SLOW)])
    assert len(store._levels) <= store.most + 1
    store = MemoryBuckets()
    store.most = 50
    for number in range(45):
        store.take([(f"passer-by {number}", SECOND)])
    world.wait(0.1)
    for _ in range(5):
        store.take([("busy", SLOW)])
    for number in range(10):
        store.take([(f"new {number}", SLOW)])
    assert not store.take([("busy", SLOW)]).allowed


def race(store: Buckets, bucket: Bucket, threads: int = 32, each: int = 5) -> int:
    barrier = threading.Barrier(threads)

    def ask(_: int) -> int:
        barrier.wait(PATIENCE_SECONDS)
        return sum(store.take([bucket]).allowed for _ in range(each))

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(ask, range(threads)))


def test_memory_is_exact_under_32_threads() -> None:
    limit = Limit(count=40, window_seconds=100_000)
    assert race(MemoryBuckets(), ("a", limit)) == 40


def test_an_unreachable_redis_is_replaced_by_memory() -> None:
    store = RedisBuckets("redis://127.0.0.1:1/0")
    assert [take_from(store, ("a", SLOW))[0] for _ in range(6)] == [True] * 5 + [False]


def calls_of(listener: socket.socket) -> int:
    listener.setblocking(False)  # noqa: FBT003 - the standard library's own parameter
    called = 0
    while True:
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return called
        called += 1


def test_a_silent_redis_costs_one_wait_a_second(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = RedisBuckets(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        assert [store.take([("a", SLOW)]).allowed for _ in range(5)] == [True] * 5
        assert calls_of(silent) == 1
        world.wait(0.9)
        assert not store.take([("a", SLOW)]).allowed
        assert calls_of(silent) == 0
        world.wait(0.1)
        assert not store.take([("a", SLOW)]).allowed
        assert calls_of(silent) == 1


def seconds(told: tuple[int, int]) -> float:
    return told[0] + told[1] / 1e6


@pytest.mark.postgres  # Why: the suite that has PostgreSQL also has Redis.
class TestInRedis:
    def test_both_stores_tell_the_same(self, shared: RedisBuckets) -> None:
        draw = random.Random(17)  # noqa: S311 - a reproducible story, no secret
        buckets = [(name, limit) for name in "abc" for limit in (SLOW, SLOWER)]
        stories = [draw.sample(buckets, draw.randint(1, 3)) for _ in range(60)]
        memory = MemoryBuckets()
        told = [(take_from(memory, *story), take_from(shared, *story)) for story in stories]
        assert [mine for mine, _ in told] == [theirs for _, theirs in told]
        assert {mine[0] for mine, _ in told} == {True, False}

    def test_redis_is_exact_under_32_threads(self, shared: RedisBuckets) -> None:
        limit = Limit(count=40, window_seconds=100_000)
        assert race(shared, ("a", limit)) == 40

    def test_tokens_flow_back(self, world: World, shared: RedisBuckets) -> None:
        flows_back(shared, world)

    def test_the_clock_is_that_of_redis_and_levels_end_with_their_window(
        self, shared: RedisBuckets, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(RedisBuckets, "clock", None)
        client: Any = redis.Redis.from_url(settings.REDIS_URL)
        before = seconds(client.time())
        shared.take([("a", SLOW), ("b", SLOWER)])
        after = seconds(client.time())
        for key, window in (("a:5:3600", 3600), ("b:3:36000", 36_000)):
            at = float(client.hget(f"{RedisBuckets.key_prefix}:{key}", "t"))
            assert before - 0.001 <= at <= after + 0.001
            kept = client.pexpiretime(f"{RedisBuckets.key_prefix}:{key}") / 1000 - at
            assert round(kept, 1) == window + 1
        client.close()

    def test_a_restarted_redis_is_used_again(self, shared: RedisBuckets) -> None:
        client = redis.Redis.from_url(settings.REDIS_URL)
        shared.take([("a", SLOW)])
        client.script_flush()
        assert shared.take([("a", SLOW)]).remaining == 3
        client.close()


@pytest.fixture
def two() -> tuple[SharedBuckets, SharedBuckets]:
    """Two processes over one Redis, which come together when a test says so."""
    return SharedBuckets(settings.REDIS_URL), SharedBuckets(settings.REDIS_URL)


def taken_from(store: Buckets, times: int) -> int:
    return sum(store.take([("a", SECOND)]).allowed for _ in range(times))


@pytest.mark.postgres
def test_what_one_process_took_another_knows_after_a_round(world: World, two: tuple[SharedBuckets, ...]) -> None:
    one, other = two
    assert taken_from(one, 7) == 7
    assert taken_from(other, 1) == 1
    one.come_together()
    other.come_together()
    assert taken_from(other, 9) == 2


@pytest.mark.postgres
def test_what_was_taken_too_much_is_owed_and_flows_back_first(world: World, two: tuple[SharedBuckets, ...]) -> None:
    """Ten a second: two processes that know nothing of each other give twenty, and then both wait for a second."""
    assert [taken_from(one, 20) for one in two] == [10, 10]
    for one in two:
        one.come_together()
    two[0].come_together()
    refused = two[1].take([("a", SECOND)])
    assert (refused.allowed, refused.wait_seconds) == (False, 2)
    world.wait(1)
    assert taken_from(two[1], 5) == 0
    world.wait(0.5)
    assert taken_from(two[1], 9) == 5


@pytest.mark.postgres
def test_whoever_bursts_at_many_processes_gets_the_limit_and_one_burst_of_each(world: World) -> None:
    """A minute long, each second all that eight processes give at once; each then learns what the others gave."""
    processes = [SharedBuckets(settings.REDIS_URL) for _ in range(8)]
    given = 0
    for _ in range(60):
        given += sum(taken_from(one, 30) for one in processes)
        for one in processes:
            one.come_together()
        world.wait(1)
    assert 60 * 10 <= given <= 60 * 10 + 8 * 10


@pytest.mark.postgres
def test_one_process_alone_is_exact(world: World, two: tuple[SharedBuckets, ...]) -> None:
    store = two[0]
    for _ in range(5):
        assert taken_from(store, 2) == 2
        store.come_together()
    assert taken_from(store, 2) == 0
    world.wait(0.25)
    store.come_together()
    assert taken_from(store, 5) == 2


def test_each_process_counts_for_itself_while_redis_is_away() -> None:
    store = SharedBuckets("redis://127.0.0.1:1/0")
    assert [store.take([("a", SLOW)]).allowed for _ in range(6)] == [True] * 5 + [False]
    with pytest.raises(redis.RedisError):
        store.come_together()
    assert not store.take([("a", SLOW)]).allowed
