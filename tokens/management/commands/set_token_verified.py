"""``manage.py set_token_verified base 0x… yes``: an operator's word on a token, which no source overrules."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tokens.selectors import find_token
from tokens.services import set_verified

CALLS_OUT = (
    "Take it back if its transfer calls other contracts (ERC-777, ERC-1363 and alike; ask the ERC-1820 registry): "
    "foreign code then runs inside a payer's payment."
)


class Command(BaseCommand):
    """Trust a token or stop trusting it, for good."""

    help = (
        "Trust a token (yes) or stop trusting it (no). The hourly refresh leaves it at that. "
        "Never trust a token whose transfer calls other contracts (ERC-777, ERC-1363 and alike): "
        "foreign code then runs inside a payer's payment."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Chain, address and the word."""
        parser.add_argument("chain")
        parser.add_argument("address")
        parser.add_argument("word", choices=("yes", "no"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Store the word. Raises: CommandError if the token is not on the list."""
        token = find_token(options["chain"], options["address"])
        if token is None:
            raise CommandError(f"{options['address']} is not on the list for {options['chain']}.")
        set_verified(token, verified=options["word"] == "yes")
        self.stdout.write(f"{token}: verified {options['word']}.")
        if options["word"] == "yes":
            self.stdout.write(CALLS_OUT)
