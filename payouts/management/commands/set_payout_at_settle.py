"""``manage.py set_payout_at_settle --merchant 1 --mode live --on``: pay a merchant out whenever an intent settles."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.modes import Mode
from merchants.models import Merchant
from merchants.principal import Principal
from payouts.services import set_payout_at_settle


class Command(BaseCommand):
    """Turns paying out at settle on or off for one merchant in one mode."""

    help = "Pay a merchant out by itself whenever one of its intents settles from now on, or no more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose, in which mode, and the word."""
        parser.add_argument("--merchant", type=int, required=True, help="id of the merchant")
        parser.add_argument("--mode", choices=Mode.values, required=True)
        word = parser.add_mutually_exclusive_group(required=True)
        word.add_argument("--on", action="store_true", dest="enabled")
        word.add_argument("--off", action="store_false", dest="enabled")

    def handle(self, *_: object, **options: Any) -> None:
        """Store the word. Raises: CommandError for an unknown merchant."""
        merchant = Merchant.objects.filter(pk=options["merchant"]).first()
        if merchant is None:
            raise CommandError(f"There is no merchant {options['merchant']}.")
        principal = Principal(merchant_id=merchant.pk, mode=Mode(options["mode"]), actor="operator")
        policy = set_payout_at_settle(principal, enabled=options["enabled"])
        word = "on" if policy.at_settle_since else "off"
        self.stdout.write(f"{merchant.name}, {policy.mode}: payout at settle is {word}.")
