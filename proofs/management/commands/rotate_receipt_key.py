"""``manage.py rotate_receipt_key``: a new key signs receipts and statements from now on."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.secrets import SecretUnreadable
from proofs.keys import rotate


class Command(BaseCommand):
    """Makes the new key, has the old one endorse it, and erases the old one's private half."""

    help = "Sign receipts and statements with a new key. What was signed before stays valid."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether the old key can still be used."""
        parser.add_argument("--lost", action="store_true", help="the old private key cannot be opened any more")

    def handle(self, *_: object, **options: Any) -> None:
        """Rotate, and say which key signs now. Raises: CommandError where the old key cannot endorse the new one."""
        try:
            key = rotate(is_lost=options["lost"])
        except SecretUnreadable as refusal:
            raise CommandError(f"{refusal} Or say --lost: then no key endorses the new one.") from None
        self.stdout.write(f"{key.pk} signs from now on; published at /.well-known/causeway-receipt-keys.json")
