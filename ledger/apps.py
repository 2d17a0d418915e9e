"""App registration."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """The books of all merchants. It knows no payments: whoever books says what a row of its own stands for."""

    name = "ledger"
