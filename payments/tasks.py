"""Celery doors of this app: one line each, for the row decides."""

from celery import shared_task

from payments.services import advance


@shared_task(name="payments.sweep_due")
def sweep_due() -> None:
    """Advance every intent that is due."""
    advance.sweep_due()
