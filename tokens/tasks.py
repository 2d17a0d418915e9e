"""Celery's doors: one service call each. Both do nothing where no source is configured."""

from celery import shared_task

from tokens import services


@shared_task(name="tokens.refresh_tokens")
def refresh_tokens() -> None:
    """Bring the list to what the sources say."""
    services.refresh_tokens()


@shared_task(name="tokens.refresh_prices")
def refresh_prices() -> None:
    """Ask what the tokens cost that quotes need."""
    services.refresh_prices()
