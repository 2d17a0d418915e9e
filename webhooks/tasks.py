"""Celery's doors: one service call each."""

from celery import shared_task

from core.dispatch import DELIVERY
from core.heartbeats import show_life
from webhooks import delivery, services


@shared_task(name="webhooks.drain")
def drain() -> None:
    """Send what is due, and say meanwhile that this worker is alive."""
    delivery.drain(each_round=lambda: show_life(DELIVERY))


@shared_task(name="webhooks.disable_failing_endpoints")
def disable_failing_endpoints() -> None:
    """Switch off what only fails, and write to the teams concerned."""
    services.disable_failing_endpoints()
    services.tell_teams()


@shared_task(name="webhooks.purge_old_events")
def purge_old_events() -> None:
    """Delete what is past its retention."""
    services.purge_old_events()
