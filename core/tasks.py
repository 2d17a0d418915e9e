"""Upkeep that belongs to no resource."""

from celery import shared_task

from core.queues import note_alive


@shared_task(name="core.note_heartbeat")
def note_heartbeat(queue: str) -> None:
    """Write down that the clock, the broker and a worker of this queue are alive."""
    note_alive(queue)
