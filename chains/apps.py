"""App registration."""

from django.apps import AppConfig


class ChainsConfig(AppConfig):
    """The only code that touches a blockchain."""

    name = "chains"
