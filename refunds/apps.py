"""App registration."""

from django.apps import AppConfig


class RefundsConfig(AppConfig):
    """Money back to the payer."""

    name = "refunds"
