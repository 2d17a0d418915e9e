"""Celery doors of this app: one line each, for the row decides."""

from celery import shared_task

from payouts import services


@shared_task(name="payouts.sweep_due")
def sweep_due() -> None:
    """Pay out what settled, where the merchant wants that, and advance every payout that is due."""
    services.sweep_due()
