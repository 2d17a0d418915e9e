"""App registration."""

from importlib import import_module

from django.apps import AppConfig


class ChainsConfig(AppConfig):
    """The only code that touches a blockchain."""

    name = "chains"

    def ready(self) -> None:
        """Have ``manage.py check`` look at the accounts that sign."""
        import_module("chains.checks")
