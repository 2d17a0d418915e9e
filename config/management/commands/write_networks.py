"""``manage.py write_networks``: what wallets are told of chains again, after a module of chains/networks changed."""

from typing import Any

from django.core.management.base import BaseCommand

from checkout.wallet_networks import SCRIPT, written


class Command(BaseCommand):
    """Writes the script."""

    help = "Write the script that tells wallets of chains, from chains/networks."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Write it."""
        SCRIPT.write_text(written(), encoding="utf-8")
