"""The workers' part: what the clock calls, on which clock, and whether anything is left to do."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from celery import current_app
from django.db import close_old_connections

from chains.clients.registry import EVM, SOLANA
from core.clock import now
from payments.models import PaymentIntent
from payments.routing import registry
from payouts.models import Payout
from refunds.models import Refund
from tests.crash.matrix.clock import SharedClock
from tests.crash.matrix.processes import is_ending
from tests.machine import pause
from webhooks.models import Delivery, Event

SWEEPS = ("payments.sweep_due", "refunds.sweep_due", "payouts.sweep_due", "records.sweep_due", "webhooks.drain")
"""Celery's tasks that move money or news; a test holds this to the beat's table."""
SOON_SECONDS = 60
STEP_SECONDS = 0.5
MOST_STEPS = 2000
PAUSE_SECONDS = 0.02
CLOCK = SharedClock()


def _own_everything() -> None:
    """Threads do not come along when a process forks, but a pool would go on counting on them; sockets do come
    along, but two processes that speak on one understand nothing.
    """
    registry._ASKING = ThreadPoolExecutor(max_workers=8)
    for chains in (EVM, SOLANA):
        chains.forget()


os.register_at_fork(after_in_child=_own_everything)


def sweep_once() -> None:
    """Everything that the beat calls, once; what one sweep raises is the next one's business, as in a worker."""
    for name in SWEEPS:
        close_old_connections()
        try:
            current_app.tasks[name].run()
        except Exception:  # noqa: S112 - a worker logs it and takes the next message
            continue


def work() -> None:
    while not is_ending():
        sweep_once()
        pause(PAUSE_SECONDS)


def advance_until(is_reached: Callable[[], bool]) -> None:
    for _ in range(MOST_STEPS):
        if is_reached():
            return
        sweep_once()
        CLOCK.pass_seconds(STEP_SECONDS)
    raise AssertionError("never reached")


def deliveries_due(merchant_id: int) -> bool:
    unsent = Delivery.objects.filter(merchant_id=merchant_id, outcome="due")
    return unsent.exists() or Event.objects.filter(merchant_id=merchant_id, fanned_out_at=None).exists()


def is_quiet(merchant_id: int) -> bool:
    soon = now().timestamp() + SOON_SECONDS
    for model in (Refund, Payout):
        due = model.objects.filter(merchant_id=merchant_id, next_attempt_at__isnull=False)
        if any(moment.timestamp() < soon for moment in due.values_list("next_attempt_at", flat=True) if moment):
            return False
    moving = PaymentIntent.objects.filter(merchant_id=merchant_id, status="executing")
    return not moving.exists() and not deliveries_due(merchant_id)
