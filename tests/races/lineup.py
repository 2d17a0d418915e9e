"""Lets threads race on PostgreSQL so that the overlap is certain: all of them wait at one lock before any goes on.

The starter holds a lock that every contender needs, lets them queue up in a chosen order, sees in the server's own
list that they wait, and lets go. Whatever a contender read before its lock is stale by then.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import connection, connections, models, transaction

from core.errors import ServiceError
from tests.machine import PATIENCE_SECONDS, wait_until

Act = Callable[[], Any]


@dataclass(frozen=True, kw_only=True)
class Ending:
    result: Any = None
    refusal: ServiceError | None = None


@dataclass
class Lineup:
    """Contenders on their marks. ``waited`` counts those that were seen waiting for a lock of another."""

    pool: ThreadPoolExecutor
    pids: list[int] = field(default_factory=list)
    running: list["Future[Ending]"] = field(default_factory=list)
    waited: int = 0

    def enter(self, act: Act) -> None:
        """Start a contender and wait until the server says that it waits for somebody's lock, or it has ended."""
        started: Future[int] = Future()
        contender = self.pool.submit(_live, act, started)
        pid = started.result(PATIENCE_SECONDS)
        self.running.append(contender)
        wait_until(lambda: contender.done() or _is_blocked(pid), "a contender that waits or ends")
        self.waited += not contender.done()

    def endings(self) -> list[Ending]:
        return [contender.result(PATIENCE_SECONDS) for contender in self.running]


@contextmanager
def holding(locked: models.QuerySet[Any]) -> Iterator[Lineup]:
    """Hold the locks of these rows while contenders enter; they go on when the block ends."""
    with ThreadPoolExecutor(32) as pool:
        with transaction.atomic():
            list(locked.select_for_update())
            lineup = Lineup(pool)
            yield lineup
        lineup.endings()


def queued(locked: models.QuerySet[Any], acts: Sequence[Act]) -> list[Ending]:
    """Let contenders queue for the same rows in this order. Raises: AssertionError if one did not have to wait."""
    with holding(locked) as lineup:
        for act in acts:
            lineup.enter(act)
        assert lineup.waited == len(acts), f"only {lineup.waited} of {len(acts)} waited: the race proves nothing"
    return lineup.endings()


def at_once(acts: Sequence[Act]) -> list[Ending]:
    """Let contenders start at the same instant, their connections open; what happens then is up to chance."""
    barrier = threading.Barrier(len(acts))

    def wait_and_act(act: Act) -> Any:
        barrier.wait(PATIENCE_SECONDS)
        return act()

    return _together([partial(wait_and_act, act) for act in acts])


def in_turn(number: int, *acts: Act) -> list[Act]:
    """The contenders, another one first in each round."""
    turn = number % len(acts)
    return [*acts[turn:], *acts[:turn]]


def statuses(endings: Iterable[Ending]) -> Counter[int]:
    """How many HTTP answers had which status; what has none counts as 0."""
    return Counter(getattr(ending.result, "status", 0) for ending in endings)


def abreast(act: Act, contenders: int, *, table: str, reads: int) -> list[Ending]:
    """Let contenders stop after each of their first reads of a table until all have read, for code that never waits."""
    barrier = threading.Barrier(contenders)

    def read_together() -> Any:
        left = iter(range(reads))

        def stop(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
            result = execute(sql, parameters, many, context)
            if sql.startswith("SELECT") and table in sql and next(left, None) is not None:
                barrier.wait(PATIENCE_SECONDS)
            return result

        with connection.execute_wrapper(stop):
            return act()

    return _together([read_together] * contenders)


def _together(acts: Sequence[Act]) -> list[Ending]:
    with ThreadPoolExecutor(len(acts)) as pool:
        running = [pool.submit(_live, act, Future()) for act in acts]
        return [contender.result(PATIENCE_SECONDS) for contender in running]


def _live(act: Act, started: "Future[int]") -> Ending:
    """One contender's life, on a connection of its own.

    Why it waits for locks as long as the suite does: on a busy machine the others take longer than the service's limit.
    """
    try:
        with connection.cursor() as cursor:
            for limit in ("lock_timeout", "statement_timeout"):
                cursor.execute(f"SET {limit} = '{PATIENCE_SECONDS}s'")
            cursor.execute("SELECT pg_backend_pid()")
            started.set_result(cursor.fetchone()[0])
        return Ending(result=act())
    except ServiceError as refusal:
        return Ending(refusal=refusal)
    finally:
        connections.close_all()


def _is_blocked(pid: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [pid])
        blocked: bool = cursor.fetchone()[0]
        return blocked


def open_connections() -> int:
    """To this test's database, as the server counts them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])
