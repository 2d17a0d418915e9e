"""Upkeep that belongs to no resource."""

from celery import shared_task

from core.clock import now
from core.models import Heartbeat


@shared_task(name="core.note_heartbeat")
def note_heartbeat() -> None:
    """Write down that beat, broker and a worker are alive."""
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": now()})
