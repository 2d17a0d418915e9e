"""Test mode under a stopped clock: time passes, and workers work, only when a test says so. A pytest plugin."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
import time_machine
from django.db.models import Min

from core.clock import now
from payments.models import PaymentIntent, QueuedIntent
from payments.services.advance import sweep_due
from payments.states import UNPAID
from webhooks.models import Event

if TYPE_CHECKING:  # which loads this plugin
    from tests.conftest import ApiClient, Reply

START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
TICK = timedelta(seconds=1)
"""How long workers rest at least, so that stories are told quickly."""


@dataclass(frozen=True, kw_only=True)
class World:
    """The moment everything happens in, and the workers."""

    clock: time_machine.Traveller

    def wait(self, seconds: float) -> None:
        """Let time pass without any worker at work."""
        self.clock.shift(timedelta(seconds=seconds))

    def run(self, seconds: float = 6) -> None:
        """Let time pass with workers at work: a sweep now, then whenever something is due, and one at the end."""
        end = now() + timedelta(seconds=seconds)
        sweep_due()
        while (due := next_due_at()) is not None and max(due, now() + TICK) < end:
            self.clock.shift(max(due, now() + TICK) - now())
            sweep_due()
        if now() < end:
            self.clock.shift(end - now())
            sweep_due()


def next_due_at() -> datetime | None:
    """When a worker finds something to do: in the queue, or a payment whose time is over."""
    moments = [
        QueuedIntent.objects.aggregate(first=Min("due_at"))["first"],
        PaymentIntent.objects.filter(queued=None, status__in=UNPAID).aggregate(first=Min("expires_due_at"))["first"],
    ]
    return min((moment for moment in moments if moment is not None), default=None)


@contextmanager
def stopped_clock() -> Iterator[World]:
    """A world at ``START`` whose clock stands still, and with it the ticks that rate limits are counted by."""
    with time_machine.travel(START, tick=False) as clock, _ticking(_since_the_start):
        yield World(clock=clock)


def _since_the_start() -> float:
    return (now() - START).total_seconds()


@contextmanager
def _ticking(ticks: Callable[[], float]) -> Iterator[None]:
    """Ticks told by a test instead of the machine and of Redis."""
    with patch("core.clock.monotonic", ticks), patch("core.redis_buckets.RedisBuckets.clock", staticmethod(ticks)):
        yield


@pytest.fixture(autouse=True)
def _no_level_rises_by_itself() -> Iterator[None]:
    """Ticks pass in no test but by its world. Why: how many requests pass would depend on how busy the machine is."""
    with _ticking(lambda: 0.0):
        yield


@pytest.fixture
def world() -> Iterator[World]:
    """Time passes only when the test says so. Ask for it before the keys, so that they are not from the future.

    PostgreSQL's clock cannot be stopped; readiness takes this process's for it.
    """
    with stopped_clock() as stopped, pytest.MonkeyPatch.context() as patch:
        patch.setattr("operations.clocks._this_process", lambda: (timedelta(0), now()))
        yield stopped


@pytest.fixture(autouse=True)
def _retries_wait_alike_in_every_run() -> Iterator[None]:
    """Chance that every run throws alike: it decides which of two deliveries is due first.

    Why a patch of its own: what the test's own replaces has stories told anew (``tests.told``).
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webhooks.schedule._random", random.Random(1))  # noqa: S311 - chance of a test, no secret
        yield


def create(api: "ApiClient", **fields: Any) -> dict[str, Any]:
    """Create an intent over 25 dollars unless the fields say otherwise; its body."""
    reply = api.post("/payment-intents", {"amount": 25, **fields})
    assert reply.status == 201, reply.body
    body: dict[str, Any] = reply.body
    return body


def read(api: "ApiClient", intent: dict[str, Any]) -> dict[str, Any]:
    reply = api.get(f"/payment-intents/{intent['id']}")
    assert reply.status == 200, reply.body
    body: dict[str, Any] = reply.body
    return body


def pay(api: "ApiClient", intent: dict[str, Any], scenario: str | None = None) -> "Reply":
    body = {} if scenario is None else {"scenario": scenario}
    return api.post(f"/test-helpers/payment-intents/{intent['id']}/pay", body)


def advance(api: "ApiClient", seconds: int) -> None:
    reply = api.post("/test-helpers/clock/advance", {"seconds": seconds})
    assert (reply.status, reply.body) == (200, {"advanced_seconds": seconds})


def history(intent: dict[str, Any]) -> list[str]:
    steps = PaymentIntent.objects.get(pk=intent["id"]).history.order_by("id")
    return list(steps.values_list("to_status", flat=True))


def events(intent: dict[str, Any]) -> list[str]:
    """The events told about the intent, in order, without the resource's name."""
    told = Event.objects.filter(resource_id=intent["id"]).order_by("sequence").values_list("sequence", "type")
    assert [number for number, _ in told] == list(range(1, len(told) + 1))
    return [name.removeprefix("payment_intent.") for _, name in told]
