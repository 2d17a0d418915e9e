"""The embedded default's one process: what it loads, how it is woken, and that it ends with its clock."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import serving
from config.schedule import SCHEDULE
from config.serving import THREADS
from core import dispatch
from core.dispatch import MONEY, WORKERS, broker_answers, carried_by, nudge
from operations.lanes import Job
from operations.scheduler import Scheduler
from tests.config.test_environment import run
from tests.machine import PATIENCE_SECONDS
from tests.templates import copy_sqlite

HEAVY = ("aiohttp", "celery", "fido2", "kombu", "opentelemetry", "psycopg", "pygments", "redis", "requests", "web3")
LOADED = f"""
import json, sys
import manage
manage.load_framework_alone()
import django
django.setup()
import config.asgi, config.serving, config.urls
from config.schedule import SCHEDULE, work_of
for name in SCHEDULE:
    work_of(name)
print(json.dumps([name for name in {HEAVY} if sys.modules.get(name)]))
import requests
"""

MARKED = """
import threading
import django
django.setup()
from config.serving import _mark
from core.heartbeats import note_alive

def elsewhere(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

marks = [_mark()]
for write in (lambda: note_alive("mine"), lambda: elsewhere(lambda: note_alive("theirs")), lambda: elsewhere(_mark)):
    write()
    marks.append(_mark())
print([before != after for before, after in zip(marks, marks[1:])])
"""
"""What this connection writes, what another one does, and what another one reads."""


class Ended(Exception):
    """The process would be over."""


@pytest.fixture
def woken() -> threading.Event:
    return threading.Event()


@pytest.fixture
def clock(woken: threading.Event, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scheduler]:
    """A clock with one job, to which wake-ups of this process go."""
    job = Job(every=3600, lane=MONEY, limit=10, work=woken.set)
    made = Scheduler({"payments.sweep_due": job}, {MONEY: 1}, mark=object, live=lambda _: None, fail=pytest.fail)
    monkeypatch.setattr(dispatch, "_carrier", dispatch._carrier)
    carried_by(serving._Wakes(made))
    yield made
    made.stop(PATIENCE_SECONDS)


def test_it_loads_nothing_that_only_others_need(tmp_path: Path) -> None:
    """Django REST framework imports some of these wherever they are installed; who asks the network still can."""
    copy_sqlite(tmp_path / "causeway.sqlite3")
    shown = run({}, tmp_path, "-c", LOADED)
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout) == []


def test_the_clock_sees_that_others_wrote_and_not_that_it_said_it_lives(tmp_path: Path) -> None:
    """Its own sign of life every two seconds would keep it awake for ever."""
    copy_sqlite(tmp_path / "causeway.sqlite3")
    shown = run({}, tmp_path, "-c", MARKED)
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout.lower()) == [False, True, False]


def test_there_is_a_lane_for_each_kind_of_worker() -> None:
    assert set(THREADS) == {turn.worker for turn in SCHEDULE.values()} == set(WORKERS)
    assert min(THREADS.values()) > 1, "a job may never have every thread of a lane that others share"


@pytest.mark.django_db(transaction=True)
def test_a_wake_up_is_done_at_once_and_a_clock_that_stands_still_is_said(
    clock: Scheduler, woken: threading.Event
) -> None:
    assert not broker_answers()
    clock.start()
    assert broker_answers()
    nudge("payments.sweep_due")
    assert woken.wait(PATIENCE_SECONDS)


def test_the_process_ends_with_its_clock(clock: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def end(reason: str) -> None:
        raise Ended(reason)

    async def sleep(_: float) -> None:
        nonlocal looks
        looks += 1
        clock.turns += looks < 4

    monkeypatch.setattr(serving, "_end_process", end)
    monkeypatch.setattr("config.serving.asyncio.sleep", sleep)
    with pytest.raises(Ended, match="the clock stands still"):
        asyncio.run(serving._watch(clock))
    assert looks == 6
