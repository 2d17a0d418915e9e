"""The drain: rounds of claiming, posting and recording until nothing is due or its time is up.

Why one thread and an event loop that stands still between rounds: tables are read and written only while it
stands, so no request waits inside a transaction and no lock is needed between the two.
"""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection

from core.locks import Turn
from core.outbound.answers import TOTAL_SECONDS
from core.pauses import Paused, is_paused
from webhooks.delivery.claims import BATCH, Claim, claim, give_back
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes
from webhooks.delivery.posting import Result, attempt
from webhooks.delivery.records import record, remember
from webhooks.delivery.session import Session, kept_session
from webhooks.services.urls import reach_of

DRAIN_SECONDS = 30
MOST_HELD = 500
"""Requests under way and about to be. Why: each may need a file descriptor, of which processes have few."""
_BUSY_SECONDS, _QUIET_SECONDS = 0.05, 0.2


def drain(seconds: float = DRAIN_SECONDS, *, each_round: Callable[[], None] = lambda: None) -> int:
    """Send what is due, for at most so many seconds; how many attempts were made. ``each_round`` is called in between.

    Returns at once while another drain, of any process, claims deliveries: receivers that hang must not be able to hold
    every worker. One that claims no more, and only waits for its last answers, lets the next one begin.
    """
    turn = Turn("webhooks.drain")
    with kept_session() as session:
        if not turn.take():
            return 0
        try:
            with _relaxed_commits():
                return _Drain(seconds, turn, each_round, session).run()
        finally:
            turn.give_up()


@contextmanager
def _relaxed_commits() -> Iterator[None]:
    """Let commits of this drain reach the disk a moment later, on PostgreSQL.

    Why safe: what a crash of the database may forget is done again, and a receiver must expect that anyway.
    Events themselves were committed by others, durably. Why not where a pool lends connections: what is set on one
    stays there, and whoever gets it next would be told of commits that are on no disk yet.
    """
    if connection.vendor != "postgresql" or settings.DATABASE_POOLED:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET synchronous_commit")


class _Drain:
    def __init__(self, seconds: float, turn: Turn, each_round: Callable[[], None], session: Session) -> None:
        self._turn, self._each_round, self._session = turn, each_round, session
        self._claim_until = time.monotonic() + max(0.0, seconds - TOTAL_SECONDS)
        self._lanes: Lanes[Claim] = Lanes(after=uuid4())  # why anywhere: each drain has time for some
        self._under_way: set[asyncio.Task[None]] = set()
        self._ended: list[Result] = []
        self._enough = asyncio.Event()
        self._wanted = 0
        self._made = 0

    def run(self) -> int:
        """Rounds until one finds nothing to do."""
        try:
            while self._round():
                self._each_round()
        finally:
            self._finish()
        return self._made

    def _round(self) -> bool:
        """One claim, one stretch of posting, one record. False when there was nothing and nothing is under way."""
        claims = self._claim()
        give_back(self._lanes.overdue())
        for endpoint_id in {mine.endpoint_id for mine in claims}:
            self._start(endpoint_id)
        if not self._under_way and not self._ended:
            return False
        self._session.run(self._progress(len(claims)))
        ended, self._ended = self._ended, []
        record(ended)
        remember(self._lanes.learnt())
        self._made += len(ended)
        return True

    def _claim(self) -> list[Claim]:
        """Why events are fanned out in a pause too: what is due is then seen, and waits where it is counted."""
        if is_paused(Paused.SENDING):
            self._claim_until = -math.inf  # what is on its way ends, and the next drain asks again
            fan_out()
        if time.monotonic() > self._claim_until:
            self._turn.give_up()
            give_back(self._lanes.all_waiting())
            return []
        if self._lanes.held > MOST_HELD - BATCH:
            return []
        fan_out()
        claims = claim(self._lanes)
        for mine in claims:
            self._lanes.add(mine)
        return claims

    def _start(self, endpoint_id: UUID) -> None:
        for mine in self._lanes.startable(endpoint_id):
            task = self._session.loop.create_task(self._attempt(mine))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _attempt(self, first: Claim) -> None:
        """Make an attempt, and then whatever waits in its lane. Why not a task each: one costs as much as signing."""
        client = await self._session.client(reach_of(first.mode))
        mine: Claim | None = first
        while mine is not None:
            result = await attempt(client, mine)
            self._ended.append(result)
            self._lanes.ended(mine.endpoint_id, result.seconds)
            if len(self._ended) >= self._wanted:
                self._enough.set()
            mine = next(self._lanes.startable(mine.endpoint_id), None)

    async def _progress(self, started: int) -> None:
        """Let requests run until as many ended as were started, or a moment has passed."""
        self._wanted = max(1, started)
        self._enough = asyncio.Event()
        try:
            async with asyncio.timeout(_BUSY_SECONDS if started else _QUIET_SECONDS):
                await self._enough.wait()
        except TimeoutError:
            pass

    def _finish(self) -> None:
        """Give back what was not sent, whatever ended the rounds."""
        if self._under_way:
            self._session.run(self._give_up())
        give_back(self._lanes.all_waiting())

    async def _give_up(self) -> None:
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
