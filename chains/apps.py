"""App registration."""

from importlib import import_module

from django.apps import AppConfig
from django.core.checks import Tags, register


class ChainsConfig(AppConfig):
    """The only code that touches a blockchain."""

    name = "chains"

    def ready(self) -> None:
        """Have ``manage.py check`` look at the accounts that sign."""
        # Why loaded only then: signers are many modules, and no process that serves needs this one.
        register(lambda **options: import_module("chains.checks").check_signing_accounts(**options), Tags.database)
