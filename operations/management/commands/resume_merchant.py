"""``manage.py resume_merchant --merchant 7 --reason WHY``."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from merchants.services.operators import end_suspension
from operations.acting import actor_of, add_why, refusing


class Command(BaseCommand):
    """Let a suspended merchant begin and pay out again."""

    help = "Let a suspended merchant begin and pay out again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which, and why."""
        parser.add_argument("--merchant", type=int, required=True, help="its number, as /admin/ shows it")
        add_why(parser)

    def handle(self, *_: object, merchant: int, reason: str, by: str, **options: Any) -> None:
        """Do it. Raises: CommandError."""
        with refusing():
            end_suspension(merchant, reason=reason, by=actor_of(by))
        self.stdout.write(f"Merchant {merchant} is no longer suspended.")
