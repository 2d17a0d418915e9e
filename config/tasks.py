"""The clock's door to what belongs to the whole service."""

from celery import shared_task

from operations.audits import seal_audits as seal
from operations.invariants.schedule import run_due_check

CHECK_SECONDS = 1800
"""Reading everything takes longer than other tasks may."""


@shared_task(name="config.check_invariants", time_limit=CHECK_SECONDS)
def check_invariants() -> None:
    """Check the invariants if that is due."""
    run_due_check()


@shared_task(name="config.seal_audits")
def seal_audits() -> None:
    """Seal the audits' newest lines."""
    seal()
