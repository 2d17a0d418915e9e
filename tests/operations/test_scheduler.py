"""The clock of the embedded default: what is due is done, nothing is done in vain, and it shows that it lives."""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import count

import pytest

from core.clock import ticks
from operations.lanes import Job
from operations.scheduler import AWAKE_SECONDS, QUIET_SECONDS, Scheduler
from tests.machine import PATIENCE_SECONDS, wait_until


class World:
    """A database that somebody may write to, and what the clock did and said of itself."""

    def __init__(self) -> None:
        self.written = 0
        self.lived: list[list[str]] = []
        self.failures: list[str] = []
        self.clock: Scheduler | None = None
        self._put: Counter[str] = Counter()

    def make(self, every: Mapping[str, float], work: Callable[[], object] = lambda: None) -> Scheduler:
        """A clock that nobody has started yet; what it would wake is counted, and not done."""
        jobs = {name: Job(every=seconds, lane="money", limit=10, work=work) for name, seconds in every.items()}
        self.clock = Scheduler(
            jobs, {"money": 2, "mail": 1}, mark=lambda: self.written, live=self._live, fail=self.failures.append
        )
        return self.clock

    def _live(self, names: Collection[str]) -> None:
        self.lived.append(sorted(names))


@pytest.fixture(autouse=True)
def _each_look_is_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the ticks finds them a little later, and no machine decides how much."""
    looks = count()
    monkeypatch.setattr("core.clock.monotonic", lambda: next(looks) / 1000)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    if made.clock is not None:
        made.clock.stop(PATIENCE_SECONDS)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the jobs that the clock woke."""
    names: list[str] = []
    monkeypatch.setattr(Scheduler, "wake", lambda _, name: names.append(name))
    monkeypatch.setattr(Scheduler, "_run", lambda _: None)
    return names


def begun(clock: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.scheduler.ticks", lambda: 0.0)
    clock.start()


def test_each_comes_as_often_as_it_is_meant_to_while_somebody_writes(
    world: World, woken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = world.make({"second": 1, "ten": 10, "hour": 3600})
    begun(clock, monkeypatch)
    for moment in range(121):
        world.written += 1
        assert clock.turn(float(moment)) <= 1
    assert Counter(woken) == {"second": 120, "ten": 12, "hour": 1}
    assert clock.turns == 121


def test_while_nobody_writes_only_time_makes_something_due_and_five_seconds_are_often_enough(
    world: World, woken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = world.make({"second": 1, "ten": 10})
    begun(clock, monkeypatch)
    at: dict[str, list[float]] = {"second": [], "ten": []}
    for moment in range(41):
        clock.turn(float(moment))
        for name in woken:
            at[name].append(moment)
        woken.clear()
    assert at["second"] == [*range(1, 11), 15, 20, 25, 30, 35, 40]
    assert at["ten"] == [10, 20, 30, 40]
    assert (AWAKE_SECONDS, QUIET_SECONDS) == (10, 5)
    world.written += 1
    for moment in range(41, 46):
        clock.turn(float(moment))
    assert woken == ["second"] * 5


def test_what_was_missed_is_not_made_up_for(world: World, woken: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = world.make({"second": 1})
    begun(clock, monkeypatch)
    clock.turn(100.0)
    clock.turn(100.5)
    assert woken == ["second"]
    clock.turn(101.0)
    assert woken == ["second"] * 2


def test_a_database_that_cannot_be_read_stops_no_turn(
    world: World, woken: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = world.make({"second": 1})

    def away(*_: object) -> None:
        raise OSError

    clock._mark = clock._live = away
    begun(clock, monkeypatch)
    for moment in range(31):
        clock.turn(float(moment))
    assert woken == ["second"] * 30
    assert {record.getMessage() for record in caplog.records} == {
        "the database cannot be read: OSError",
        "signs of life were not written: OSError",
    }


def test_what_is_woken_is_done_now(world: World) -> None:
    done = threading.Event()
    clock = world.make({"hour": 3600}, done.set)
    clock.start(["hour"])
    assert done.wait(PATIENCE_SECONDS)
    done.clear()
    clock.wake("hour")
    assert done.wait(PATIENCE_SECONDS)
    assert clock.is_running


def test_every_lane_shows_its_life_once_it_has_answered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scheduler, "_run", lambda _: None)
    clock = world.make({"hour": 3600})
    clock.start()
    wait_until(lambda: all(lane.heard > 0 for lane in clock._lanes.values()), "both lanes' answers")
    clock.turn(ticks())
    assert world.lived == [["mail", "money"]]


def test_a_lane_that_is_stuck_is_not_said_to_live_and_ends_the_process(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = threading.Event()
    begins = threading.Semaphore(0)

    def stand() -> None:
        begins.release()
        stuck.wait(PATIENCE_SECONDS)

    monkeypatch.setattr(Scheduler, "_run", lambda _: None)
    clock = world.make({"one": 1, "two": 1}, stand)
    clock.start(["one", "two"])
    for _ in range(2):
        clock._lanes["money"].relieve(ticks())
        assert begins.acquire(timeout=PATIENCE_SECONDS)
    clock.turn(ticks())
    world.lived.clear()
    wait_until(lambda: clock._lanes["mail"].heard > clock._lived_at, "the other lane's answer")
    clock.turn(ticks() + 3)
    assert world.lived == [["mail"]]
    assert world.failures == []
    clock.turn(ticks() + 11)
    assert [failure.split()[0] for failure in world.failures] == ["one", "two"]
    stuck.set()


def test_a_clock_that_fails_ends_the_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> float:
        raise MemoryError

    monkeypatch.setattr(Scheduler, "turn", broken)
    world.make({"second": 1}).start()
    wait_until(lambda: world.failures == ["the clock ended"], "the failure")
