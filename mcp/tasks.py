"""The clock's doors of this app: one line each, for the row decides."""

from mcp.oauth import documents, upkeep
from mcp.services import approvals, connections


def sweep_approvals() -> None:
    """End the requests that nobody decided in time."""
    approvals.sweep_approvals()


def sweep_lenders() -> None:
    """End what was lent by people who may not lend it any more."""
    connections.sweep_lenders()


def read_client_documents() -> None:
    """Read the documents of clients that people asked for."""
    documents.read_due()


def purge_oauth() -> None:
    """Delete what of OAuth can no longer be used."""
    upkeep.purge()
