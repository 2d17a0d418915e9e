"""App registration."""

from django.apps import AppConfig


class CheckoutConfig(AppConfig):
    """The payer's door."""

    name = "checkout"
