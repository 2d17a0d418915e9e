"""Celery doors of this app: one line each, for the row decides."""

from celery import shared_task

from mcp.services import approvals


@shared_task(name="mcp.sweep_approvals")
def sweep_approvals() -> None:
    """End the requests that nobody decided in time."""
    approvals.sweep_approvals()
