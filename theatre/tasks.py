"""The clock's doors of this app: one line each, for the row decides."""

from theatre import services


def sweep_due() -> None:
    """Play the replays that wait."""
    services.sweep_due()


def purge_replays() -> None:
    """Delete old replays."""
    services.purge_replays()
