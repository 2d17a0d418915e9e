"""``manage.py create_signing_key``: a new encrypted key in SIGNER_KEYS_DIR, or an existing one brought there."""

import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chains.registry import Family, chain
from chains.signers.base import SignerUnavailable
from chains.signers.keys import read_plain, signer_for
from chains.signers.keystore import store_key
from core.private_files import NotPrivate, read_private
from core.secrets import Sealed


class Command(BaseCommand):
    """Encrypts a key with SIGNER_PASSPHRASE and says its address; the key itself is never shown."""

    help = "Make an encrypted key in SIGNER_KEYS_DIR and print its address. An existing file is never overwritten."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which kind of chain, its name, and perhaps where it comes from."""
        parser.add_argument("--chain", required=True, help="the chain it is for; one EVM key serves all EVM chains")
        parser.add_argument("--key", required=True, help="its name: small letters, digits, hyphens, underscores")
        parser.add_argument("--from-file", type=Path, help="take this key in clear (mode 600) instead of a new one")

    def handle(self, *_: object, **options: Any) -> None:
        """Make it, store it, say where. Raises: CommandError with one sentence."""
        known = chain(options["chain"])
        if known is None:
            raise CommandError(f"No chain is called {options['chain'][:32]!r} here.")
        if options["from_file"] is None:  # all 32 bytes but one in 2^128 are keys of both kinds; that one is refused
            key = Sealed(secrets.token_bytes(32))
        else:
            key = _given_key(known.family, options["from_file"])
        signer = signer_for(known.family, key)
        if signer is None:
            raise CommandError("That is not a key of this kind of chain.")
        try:
            path = store_key(options["key"], known.family, key)
        except SignerUnavailable as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"address  {signer.address}\nfile     {path}")
        self.stdout.write("Keep a copy of the file and of the passphrase apart: without both the money is lost.")


def _given_key(family: Family, path: Path) -> Sealed:
    try:
        written = read_private(path)
    except NotPrivate as refusal:
        raise CommandError(str(refusal)) from None
    key = read_plain(family, written)
    if key is None:
        raise CommandError("The file does not hold a key of this kind of chain: 64 hexadecimal digits, or 64 numbers.")
    return key
