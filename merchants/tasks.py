"""Upkeep of what is remembered about callers."""

from celery import shared_task

from merchants.services import forget_expired_answers


@shared_task(name="merchants.purge_idempotency_records")
def purge_idempotency_records() -> None:
    """Delete answers whose replay window is over."""
    forget_expired_answers()
