"""The embedded default in one process: the web server, and the clock that does what workers do in the production form.

Imports no Celery: what happens when is ``config.schedule``, and wake-ups go from thread to thread.
"""

import asyncio
import copy
import logging
import os
import signal
import threading
import uuid
from collections.abc import Callable
from typing import Any, NoReturn

from django.conf import settings
from django.db import close_old_connections, connection
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server

from config.schedule import AT_ONCE, SCHEDULE, work_of
from core.dispatch import BEAT, DELIVERY, MONEY, READER, UPKEEP, carried_by
from core.heartbeats import note_alive
from core.request_id import begin_task
from operations.lanes import Job
from operations.scheduler import Scheduler
from payments.services import advance as intents
from payments.services import reading
from payouts.services import advance as payouts
from payouts.services import at_settle
from refunds.services import advance as refunds
from webhooks import delivery

THREADS = {MONEY: 4, DELIVERY: 3, UPKEEP: 2, READER: 4}
"""At most, in each lane. Readers: a chain of which no node answers must hold up no other."""
WATCH_SECONDS, MOST_MISSED = 10.0, 3
"""How often the web server's thread sees that the clock goes on, and how often it may see the same turn again. Why so
long: a command beside may hold SQLite's lock, for which the clock waits 20 seconds."""
STOP_SECONDS = 5.0
HEADERS_MS = 10_000
"""As ``scripts/container.sh`` has it."""
BROKEN = 70
"""``EX_SOFTWARE`` of sysexits(3): a fault of ours."""

logger = logging.getLogger("causeway.up")


class _Wakes:
    """Carries wake-ups to the clock of this process: see ``core.dispatch``."""

    def __init__(self, clock: Scheduler) -> None:
        self._clock = clock

    def carry(self, task_name: str, queue: str | None) -> None:
        """Wake the job of that name. ``queue``: its own, as there is one lane for each."""
        self._clock.wake(task_name)

    def look(self) -> None:
        """Raises: RuntimeError."""
        if not self._clock.is_running:
            raise RuntimeError("the clock stands still")


def serve(application: Callable[..., Any], when_begun: Callable[[], None]) -> None:
    """Answer on this machine and do what is due, until SIGTERM. ``when_begun`` is called in a thread of its own.

    Why leases are taken over: ``up`` holds a lock on the data, so whoever held them is dead.
    """
    for sweep in (intents.SWEEP, refunds.SWEEP, payouts.SWEEP, at_settle.SWEEP):
        sweep.take_over()
    reading.take_over_leases()
    delivery.take_over_leases()
    clock = Scheduler(_jobs(), THREADS, mark=_mark, live=lambda lanes: note_alive(BEAT, *lanes), fail=_end_process)
    carried_by(_Wakes(clock))
    clock.start(AT_ONCE)
    try:
        asyncio.run(_answer(application, clock, when_begun))
    finally:
        clock.stop(STOP_SECONDS)


async def _answer(application: Callable[..., Any], clock: Scheduler, when_begun: Callable[[], None]) -> None:
    server = Server(
        application,
        address="127.0.0.1",
        port=settings.PORT,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=HEADERS_MS),
        websockets=False,
        log_level=LogLevels.error,  # as a warning it says at each start that it is embedded
        log_dictconfig=copy.deepcopy(settings.LOGGING),
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    threading.Thread(target=when_begun, name="announcing", daemon=True).start()
    watching = asyncio.create_task(_watch(clock))
    await server.serve()
    watching.cancel()


async def _watch(clock: Scheduler) -> None:
    """Why it takes the process with it: a service whose clock stands still only looks alive."""
    turns, missed = -1, 0
    while missed < MOST_MISSED:
        await asyncio.sleep(WATCH_SECONDS)
        missed = missed + 1 if clock.turns == turns else 0
        turns = clock.turns
    _end_process("the clock stands still")


def _jobs() -> dict[str, Job]:
    return {
        name: Job(every=turn.every, lane=turn.worker, limit=turn.limit, work=_named(work_of(name)))
        for name, turn in SCHEDULE.items()
    }


def _named(work: Callable[[], None]) -> Callable[[], None]:
    """The work under a fresh name, on a connection that can be used."""

    def do() -> None:
        begin_task(uuid.uuid4().hex)
        close_old_connections()
        work()

    return do


def _mark() -> object:
    """Different whenever another connection, of any process, has changed the database.

    Source: https://www.sqlite.org/pragma.html#pragma_data_version.
    """
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        return cursor.fetchone()


def _end_process(reason: str) -> NoReturn:
    """At once, so that the supervisor starts it again. Why without a farewell: the rows are the queue."""
    logger.critical("%s: the process ends", reason)
    os._exit(BROKEN)
