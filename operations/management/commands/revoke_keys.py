"""``manage.py revoke_keys --merchant 7 --mode live --reason WHY``: no key of it is answered any more."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from core.modes import Mode
from merchants.services.operators import revoke_keys_of
from operations.acting import actor_of, add_why, refusing


class Command(BaseCommand):
    """Stops every key of a merchant and mode, and writes to its owners."""

    help = "Stop every API key of a merchant in one mode at once; its owners are written to and make new ones."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose, which, and why."""
        parser.add_argument("--merchant", type=int, required=True, help="its number, as /admin/ shows it")
        parser.add_argument("--mode", choices=[*Mode], required=True)
        add_why(parser)

    def handle(self, *_: object, merchant: int, mode: str, reason: str, by: str, **options: Any) -> None:
        """Stop them, and print their ends. Raises: CommandError."""
        with refusing():
            ended = revoke_keys_of(merchant, Mode(mode), reason=reason, by=actor_of(by))
        for key in ended:
            self.stdout.write(f"stopped  {key}")
        self.stdout.write(f"{len(ended)} keys of merchant {merchant} were stopped in {mode} mode.")
