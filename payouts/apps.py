"""App registration."""

from django.apps import AppConfig


class PayoutsConfig(AppConfig):
    """Money out to the merchant."""

    name = "payouts"
