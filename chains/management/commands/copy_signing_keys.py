"""``manage.py copy_signing_keys``: every key of SIGNER_KEYS_DIR in another folder, under another passphrase."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chains.signers.base import SignerUnavailable
from chains.signers.keystore import copy_keys
from core.private_files import NotPrivate, read_private, refuse_open_folder

SHORTEST: Final = 12
"""Of a passphrase, as the settings have it."""


class Command(BaseCommand):
    """Writes the copies and says where; no key and no passphrase is shown, and the folder of now is left as it is."""

    help = "Encrypt every key of SIGNER_KEYS_DIR into another folder under another passphrase. See docs/rotation.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to, and what is to open them there."""
        parser.add_argument("--to", type=Path, required=True, help="an empty folder of mode 700")
        parser.add_argument(
            "--passphrase-file", type=Path, required=True, help="the new passphrase, in a file of mode 600"
        )

    def handle(self, *_: object, **options: Any) -> None:
        """Copy, say where, say what comes next. Raises: CommandError with one sentence."""
        if not settings.SIGNER_KEYS_DIR:
            raise CommandError("SIGNER_KEYS_DIR is not set, so there are no encrypted keys here.")
        try:
            refuse_open_folder(options["to"])
            passphrase = read_private(options["passphrase_file"])
            if len(passphrase.reveal()) < SHORTEST:
                raise CommandError(f"The passphrase must have at least {SHORTEST} characters.")
            copies = copy_keys(options["to"], passphrase)
        except (NotPrivate, SignerUnavailable) as refusal:
            raise CommandError(str(refusal)) from None
        for copy in copies:
            self.stdout.write(str(copy))
        self.stdout.write(f"{len(copies)} keys. Set SIGNER_KEYS_DIR and SIGNER_PASSPHRASE, start `worker money` again.")
