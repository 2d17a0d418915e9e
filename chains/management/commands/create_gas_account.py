"""``manage.py create_gas_account``: let a key pay the gas of what payers authorized on one chain."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chains.gas_accounts import create_gas_account
from chains.signers.registry import Backend
from core.errors import InvalidRequest


class Command(BaseCommand):
    """Enrols the address of a key of the operator's, which sends payers' authorizations and nothing else."""

    help = "Enrol a key's address to pay the gas of what payers authorized (x402) on a chain. One for each chain."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which chain, which key."""
        parser.add_argument("--chain", required=True, help="ethereum, base, arbitrum, optimism or polygon")
        parser.add_argument("--backend", required=True, choices=[str(one) for one in Backend])
        parser.add_argument("--key", required=True, help="the key's name, or its id in AWS KMS; never the key itself")

    def handle(self, *_: object, **options: Any) -> None:
        """Enrol. Raises: CommandError with one sentence."""
        try:
            account = create_gas_account(options["chain"], options["backend"], options["key"])
        except InvalidRequest as refusal:
            raise CommandError(refusal.details["fields"][0]["message"]) from None
        self.stdout.write(
            f"address      {account.address}\nnetwork      {account.network}\nchain        {account.chain}"
        )
        self.stdout.write("Fund the address with the chain's coin for fees, and with nothing else.")
