"""Lets threads race on PostgreSQL so that the overlap is certain: all of them wait at one lock before any goes on.

The starter holds a lock that every contender needs, lets them queue up in a chosen order, sees in the server's own
list that they wait, and lets go. Whatever a contender read before its lock is stale by then.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, connections, models, transaction

from core.errors import ServiceError

Act = Callable[[], Any]
DEADLINE_SECONDS = 10.0
"""Far above what a round takes; a race that hangs is a deadlock."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How one contender ended: with a result, or with the refusal that the service gave."""

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
        pid = started.result(DEADLINE_SECONDS)
        self.running.append(contender)
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not contender.done():
            if _is_blocked(pid):
                self.waited += 1
                return
            assert time.monotonic() < deadline, "a contender neither waits nor ends"

    def endings(self) -> list[Ending]:
        """What became of the contenders, in the order in which they entered."""
        return [contender.result(DEADLINE_SECONDS) for contender in self.running]


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
    return _together([_behind(barrier, act) for act in acts])


def abreast(act: Act, contenders: int, *, table: str, reads: int) -> list[Ending]:
    """Let contenders stop after each of their first reads of a table until all have read, for code that never waits."""
    barrier = threading.Barrier(contenders)

    def read_together() -> Any:
        left = iter(range(reads))

        def stop(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
            result = execute(sql, parameters, many, context)
            if sql.startswith("SELECT") and table in sql and next(left, None) is not None:
                barrier.wait(DEADLINE_SECONDS)
            return result

        with connection.execute_wrapper(stop):
            return act()

    return _together([read_together] * contenders)


def _behind(barrier: threading.Barrier, act: Act) -> Act:
    def wait_and_act() -> Any:
        barrier.wait(DEADLINE_SECONDS)
        return act()

    return wait_and_act


def _together(acts: Sequence[Act]) -> list[Ending]:
    with ThreadPoolExecutor(len(acts)) as pool:
        running = [pool.submit(_live, act, Future()) for act in acts]
        return [contender.result(DEADLINE_SECONDS * 3) for contender in running]


def _live(act: Act, started: "Future[int]") -> Ending:
    """One contender's life, on a connection of its own."""
    try:
        with connection.cursor() as cursor:
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
