"""Lanes of threads: what is slow holds up nobody else, and what fails or never ends is told."""

import threading
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from core.clock import ticks
from operations import lanes
from operations.lanes import Job, Lane
from tests.machine import PATIENCE_SECONDS, wait_until


class Work:
    """A job that stands still until it is let go."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Semaphore(0), threading.Event()
        self.done = 0

    def __call__(self) -> None:
        self.begun.release()
        assert self.go.wait(PATIENCE_SECONDS)
        self.done += 1


@pytest.fixture(autouse=True)
def _each_look_is_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the ticks finds them a little later, and no machine decides how much."""
    looks = count()
    monkeypatch.setattr("core.clock.monotonic", lambda: next(looks) / 1000)


@pytest.fixture
def failures() -> list[str]:
    return []


@pytest.fixture
def make(failures: list[str]) -> Iterator[Callable[..., Lane]]:
    """A lane of these jobs, each of which may take ten seconds; it is over after the test."""
    made: list[Lane] = []

    def a_lane(threads: int, **works: Callable[[], object]) -> Lane:
        jobs = {name: Job(every=1, lane="money", limit=10, work=work) for name, work in works.items()}
        made.append(Lane("money", jobs, threads, failures.append))
        return made[-1]

    yield a_lane
    for lane in made:
        lane.end(ticks() + PATIENCE_SECONDS)


def begins(work: Work) -> None:
    assert work.begun.acquire(timeout=PATIENCE_SECONDS)


def test_what_waits_waits_once_and_one_job_never_has_every_thread(make: Callable[..., Lane]) -> None:
    slow, other = Work(), Work()
    lane = make(3, slow=slow, other=other)
    for _ in range(4):
        lane.put("slow")
    begins(slow)
    lane.put("slow")
    begins(slow)
    lane.put("slow")
    lane.put("slow")
    lane.put("other")
    begins(other)
    other.go.set()
    wait_until(lambda: other.done == 1, "the other job")
    assert not slow.begun.acquire(blocking=False), "two of three threads are its share"
    slow.go.set()
    wait_until(lambda: slow.done == 3, "the third, which waited")


def test_a_thread_is_added_where_something_waits_at_the_next_look(make: Callable[..., Lane]) -> None:
    first, second = Work(), Work()
    second.go.set()
    lane = make(2, first=first, second=second)
    lane.put("first")
    begins(first)
    first.go.set()
    wait_until(lambda: lane._idle == 1, "the thread at rest")
    first.go.clear()
    with lane._changed:  # both come in one moment, to the one thread that rests
        lane._waiting.update({"first": None, "second": None})
        lane._changed.notify()
    begins(first)
    assert second.done == 0
    lane.relieve(ticks())
    begins(second)
    first.go.set()


def test_a_job_that_never_ends_is_told_and_one_that_fails_is_logged(
    make: Callable[..., Lane], failures: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    stuck = Work()
    lane = make(2, stuck=stuck, broken=lambda: 1 // 0)
    lane.put("broken")
    wait_until(lambda: "broken failed" in caplog.text, "its line in the log")
    lane.put("stuck")
    begins(stuck)
    lane.relieve(ticks() + 9)
    assert failures == []
    lane.relieve(ticks() + 12)
    assert failures == ["stuck has taken 12 seconds"]
    stuck.go.set()


def test_a_thread_that_ends_is_told(make: Callable[..., Lane], failures: list[str]) -> None:
    def leave() -> None:
        raise SystemExit

    make(1, leave=leave).put("leave")
    wait_until(lambda: failures == ["a thread of money ended"], "the failure")


def test_signs_of_life_are_given_by_who_rests_and_by_nobody_where_all_are_at_work(make: Callable[..., Lane]) -> None:
    slow = Work()
    lane = make(1, slow=slow)
    assert lane.heard == float("-inf")
    for _ in range(2):
        before = lane.heard
        lane.ask()
        wait_until(lambda before=before: lane.heard > before, "a sign of life")  # type: ignore[misc]  # a lambda's default has no type
    lane.put("slow")
    begins(slow)
    at_work = lane.heard
    lane.ask()
    lane.relieve(ticks())
    assert lane.heard == at_work
    slow.go.set()
    wait_until(lambda: lane.heard > at_work, "a sign of life when it was done")


def test_threads_that_have_nothing_to_do_end_but_one(
    make: Callable[..., Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "IDLE_SECONDS", 0.01)
    first, second = Work(), Work()
    lane = make(3, first=first, second=second)
    lane.put("first")
    begins(first)
    lane.put("second")
    begins(second)
    assert len(lane._threads) == 2
    first.go.set()
    second.go.set()
    wait_until(lambda: len(lane._threads) == 1, "one thread")
    lane.put("first")
    begins(first)
