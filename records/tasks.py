"""The clock's door of this app: one line, for the row decides."""

from records import services


def sweep_due() -> None:
    """Seal the records of payments that settled."""
    services.sweep_due()
