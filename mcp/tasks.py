"""Celery doors of this app: one line each, for the row decides."""

from celery import shared_task

from mcp.oauth import documents, upkeep
from mcp.services import approvals, connections


@shared_task(name="mcp.sweep_approvals")
def sweep_approvals() -> None:
    """End the requests that nobody decided in time."""
    approvals.sweep_approvals()


@shared_task(name="mcp.sweep_lenders")
def sweep_lenders() -> None:
    """End what was lent by people who may not lend it any more."""
    connections.sweep_lenders()


@shared_task(name="mcp.read_client_documents")
def read_client_documents() -> None:
    """Read the documents of clients that people asked for."""
    documents.read_due()


@shared_task(name="mcp.purge_oauth")
def purge_oauth() -> None:
    """Delete what of OAuth can no longer be used."""
    upkeep.purge()
