"""The clock's doors: one service call each. Both do nothing where no source is configured."""

from tokens import services


def refresh_tokens() -> None:
    """Bring the list to what the sources say."""
    services.refresh_tokens()


def refresh_prices() -> None:
    """Ask what the tokens cost that quotes need."""
    services.refresh_prices()
