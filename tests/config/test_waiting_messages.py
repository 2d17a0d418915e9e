"""What waits in Redis while no worker takes it is bounded, whoever sends. Shown on a real Redis."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
import redis
from celery.beat import ScheduleEntry
from celery.schedules import schedule
from django.conf import settings

from config.beat import NotedScheduler
from config.broker import FRESH_SECONDS, MOST_WAITING, MOST_WAKE_UPS, Messages
from config.celery import app

pytestmark = pytest.mark.postgres
OFTEN, SELDOM = "payments.sweep_due", "webhooks.purge_old_events"


class Queue:
    """A queue that nobody takes from."""

    def __init__(self) -> None:
        self.name = f"planted-{uuid4().hex}"
        self._redis = redis.Redis.from_url(settings.REDIS_URL)

    @property
    def waiting(self) -> int:
        """How many messages."""
        return int(self._redis.llen(self.name))

    def take(self) -> None:
        """Take one, as a worker would."""
        self._redis.rpop(self.name)

    def forget(self) -> None:
        self._redis.delete(self.name, f"_kombu.binding.{self.name}")
        self._redis.close()


@pytest.fixture
def queue() -> Iterator[Queue]:
    made = Queue()
    yield made
    made.forget()


def send_by_the_clock(queue: Queue, task: str, times: int) -> None:
    """As the clock does at each tick."""
    clock = NotedScheduler(app, lazy=True)
    entry = ScheduleEntry(
        name=task, task=task, schedule=schedule(1.0), options={"queue": queue.name, "expires": 2}, app=app
    )
    for _ in range(times):
        clock.apply_async(entry, producer=clock.producer, advance=False)


def test_the_clock_sends_while_somebody_takes(queue: Queue) -> None:
    send_by_the_clock(queue, OFTEN, MOST_WAITING + 20)
    assert queue.waiting == MOST_WAITING
    queue.take()
    send_by_the_clock(queue, OFTEN, 2)
    assert queue.waiting == MOST_WAITING


def test_what_comes_seldom_finds_room_for_longer(queue: Queue) -> None:
    """So an hour's purge is not lost to the seconds' sweeps."""
    send_by_the_clock(queue, OFTEN, MOST_WAITING)
    send_by_the_clock(queue, SELDOM, MOST_WAITING + 20)
    assert queue.waiting == 2 * MOST_WAITING


def test_requests_wake_nobody_who_does_not_come(queue: Queue) -> None:
    messages = Messages(app)
    for _ in range(MOST_WAITING + 20):
        messages.carry(OFTEN, queue.name)
    assert queue.waiting == MOST_WAKE_UPS
    send_by_the_clock(queue, OFTEN, 1)
    assert queue.waiting == MOST_WAKE_UPS + 1


def test_no_wake_up_stays_fresh_for_longer_than_what_the_clock_sends() -> None:
    """Else it goes before that wherever a worker has too much to do."""
    assert min(entry["options"]["expires"] for entry in app.conf.beat_schedule.values()) == FRESH_SECONDS
