"""A clock that has jobs done when they are due: a heap of moments, and lanes of threads. Must not know what is done.

It sleeps until the next moment. While nobody writes to the database only time can make a row due, so then what comes
every second comes every five; whoever makes a row due now wakes its job at once.
"""

import heapq
import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence

from core.clock import ticks
from operations.lanes import Fail, Job, Lane

AWAKE_SECONDS = 10.0
"""How long after the last change everything comes as often as it is meant to."""
QUIET_SECONDS = 5.0
"""How late what only time makes due may be noticed after that."""
LIFE_SECONDS = 2.0
"""How often signs of life are given."""
FIRST_SECONDS = 60.0
"""After so long what comes rarely comes for the first time: a service that is started daily must do it too."""
LOOK_SECONDS = 1.0

logger = logging.getLogger("causeway.scheduler")


class Scheduler:
    """Jobs and their lanes. ``at_once`` names those that do not wait for their first moment.

    ``mark``: something that is different whenever anybody else has written to the database. ``live``: takes the names
    of the lanes that gave a sign of life since the last time. ``fail``: see ``operations.lanes``.
    """

    def __init__(
        self,
        jobs: Mapping[str, Job],
        threads: Mapping[str, int],
        *,
        mark: Callable[[], object],
        live: Callable[[Collection[str]], object],
        fail: Fail,
    ) -> None:
        self._jobs, self._mark, self._live, self._fail = jobs, mark, live, fail
        self._lanes = {
            lane: Lane(lane, {name: job for name, job in jobs.items() if job.lane == lane}, most, fail)
            for lane, most in threads.items()
        }
        self._heap: list[tuple[float, str]] = []
        self._put_at = dict.fromkeys(jobs, float("-inf"))
        self._seen: object = None
        self._changed_at = self._lived_at = float("-inf")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clock", daemon=True)
        self.turns = 0
        """How often it looked what is due: whoever guards it sees that it goes on."""

    def start(self, at_once: Sequence[str] = ()) -> None:
        """Begin, in a thread of its own."""
        began = ticks()
        self._heap = [(began + min(job.every, FIRST_SECONDS), name) for name, job in self._jobs.items()]
        heapq.heapify(self._heap)
        for lane in self._lanes.values():
            lane.ask()
        for name in at_once:
            self.wake(name)
        self._thread.start()

    def wake(self, name: str) -> None:
        """Have a job done now. Never waits."""
        self._lanes[self._jobs[name].lane].put(name)

    @property
    def is_running(self) -> bool:
        """Whether its thread lives."""
        return self._thread.is_alive()

    def stop(self, seconds: float) -> None:
        """Begin nothing more, and give what is being done so long to end."""
        self._over.set()
        deadline = ticks() + seconds
        for lane in self._lanes.values():
            lane.end(deadline)

    def turn(self, moment: float) -> float:
        """Do what is due by then; returns how many seconds nothing will be."""
        self._look(moment)
        while self._heap[0][0] <= moment:
            due, name = self._heap[0]
            every = self._jobs[name].every
            heapq.heapreplace(self._heap, (due + every if due + every > moment else moment + every, name))
            if not self._may_rest(name, moment):
                self._put_at[name] = moment
                self.wake(name)
        self.turns += 1
        return min(LOOK_SECONDS, self._heap[0][0] - moment)

    def _run(self) -> None:
        try:
            wait = 0.0
            while not self._over.wait(wait):
                wait = self.turn(ticks())
        except BaseException:
            logger.exception("the clock failed")
            self._fail("the clock ended")

    def _look(self, moment: float) -> None:
        """At the database, and at the lanes. Why no failure matters: what cannot be read may have changed."""
        try:
            seen = self._mark()
        except Exception as error:
            logger.warning("the database cannot be read: %s", type(error).__name__)
            seen = object()
        if seen != self._seen:
            self._seen, self._changed_at = seen, moment
        for lane in self._lanes.values():
            lane.relieve(moment)
        if moment - self._lived_at >= LIFE_SECONDS:
            self._say_life(moment)

    def _say_life(self, moment: float) -> None:
        heard = [name for name, lane in self._lanes.items() if lane.heard > self._lived_at]
        self._lived_at = moment
        try:
            self._live(heard)
        except Exception as error:
            logger.warning("signs of life were not written: %s", type(error).__name__)
        for lane in self._lanes.values():
            lane.ask()

    def _may_rest(self, name: str, moment: float) -> bool:
        is_quiet = moment - self._changed_at > AWAKE_SECONDS
        return is_quiet and moment - self._put_at[name] < QUIET_SECONDS - LOOK_SECONDS / 2
