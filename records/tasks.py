"""The clock's door of this app: one line, for the row decides."""

from records import backlog, services


def sweep_due() -> None:
    """Seal the records of payments that settled."""
    services.sweep_due()


def seal_backlog() -> None:
    """Ask for the seals of payments that settled before there were receipts."""
    backlog.seal_backlog()
