"""Threads that do named jobs, in lanes: what is slow in one lane holds up no other. Must not know what is done.

A lane begins with one thread and gets more while something waits; those that then have nothing to do end. A thread that
fails, and a job that never ends, are told to ``fail``, which must end the process: none can be ended from outside.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.clock import ticks

Fail = Callable[[str], None]
"""Ends the process, and says why. Whoever supervises it starts it again, and the rows are the queue."""

IDLE_SECONDS = 30.0
"""How long a thread that is not the only one waits for something to do. Why it ends: its connection is memory."""

logger = logging.getLogger("causeway.lanes")


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is done again and again: every so many seconds, in a lane, and in so many seconds at most."""

    every: float
    lane: str
    limit: float
    work: Callable[[], object]


class Lane:
    """Some threads, and the names of jobs that wait for one, each once: a run is for every row that is due."""

    def __init__(self, name: str, jobs: Mapping[str, Job], most_threads: int, fail: Fail) -> None:
        self._name, self._jobs, self._most, self._fail = name, jobs, most_threads, fail
        self._most_of_one = max(1, most_threads - 1) if len(jobs) > 1 else most_threads
        """Why not all: a job that many wait on must not hold up the others of its lane."""
        self._changed = threading.Condition()
        self._waiting: dict[str, None] = {}
        self._running: dict[threading.Thread, tuple[str, float]] = {}
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._asked = self._over = False
        self._heard = float("-inf")

    @property
    def heard(self) -> float:
        """When one of its threads last ended a job or answered ``ask``, in ticks."""
        return self._heard

    def put(self, name: str) -> None:
        """Have a job done soon. Never waits."""
        with self._changed:
            self._waiting[name] = None
            self._call_one()

    def ask(self) -> None:
        """Have a thread say that it is alive, as soon as one has nothing else to do. Never waits."""
        with self._changed:
            self._asked = True
            self._call_one()

    def relieve(self, moment: float) -> None:
        """Add a thread where something still waits, and fail where a job never ends. Called once in a while."""
        with self._changed:
            if self._choice() is not None and not self._over:
                self._add_thread()
            held = list(self._running.values())
        for name, began in held:
            if moment - began > self._jobs[name].limit:
                self._fail(f"{name} has taken {moment - began:.0f} seconds")

    def end(self, deadline: float) -> None:
        """Begin nothing more, and wait until then for what is being done."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, deadline - ticks()))

    def _call_one(self) -> None:
        if self._idle:
            self._changed.notify()
        else:
            self._add_thread()

    def _add_thread(self) -> None:
        if len(self._threads) < self._most:
            thread = threading.Thread(target=self._live, name=self._name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _live(self) -> None:
        try:
            while (name := self._next()) is not None:
                self._do(name)
        except BaseException:
            logger.exception("a thread of %s failed", self._name)
            self._fail(f"a thread of {self._name} ended")

    def _next(self) -> str | None:
        """Wait for a job, which is this thread's from then on; None when it is to end."""
        mine = threading.current_thread()
        with self._changed:
            self._running.pop(mine, None)
            while not self._over:
                self._asked, self._heard = False, ticks()
                if (name := self._choice()) is not None:
                    del self._waiting[name]
                    self._running[mine] = name, self._heard
                    return name
                self._idle += 1
                was_called = self._changed.wait(IDLE_SECONDS)
                self._idle -= 1
                if not (was_called or self._asked or self._choice()) and len(self._threads) > 1:
                    self._threads.remove(mine)
                    return None
        return None

    def _choice(self) -> str | None:
        running = [name for name, _ in self._running.values()]
        return next((name for name in self._waiting if running.count(name) < self._most_of_one), None)

    def _do(self, name: str) -> None:
        try:
            self._jobs[name].work()
        except Exception:
            logger.exception("%s failed", name)
