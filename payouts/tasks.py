"""The clock's doors of this app: one line each, for the row decides."""

from payouts import services


def sweep_due() -> None:
    """Pay out what settled, where the merchant wants that, and advance every payout that is due."""
    services.sweep_due()
