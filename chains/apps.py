"""App registration."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Tags, register


class ChainsConfig(AppConfig):
    """The only code that touches a blockchain."""

    name = "chains"

    def ready(self) -> None:
        """Have ``manage.py check`` look at the accounts that sign."""
        register(_check_signing_accounts, Tags.database)


def _check_signing_accounts(**options: Any) -> list[CheckMessage]:
    """Why loaded only then: signers are many modules, and no process that serves needs this one."""
    found: list[CheckMessage] = import_module("chains.checks").check_signing_accounts(**options)
    return found
