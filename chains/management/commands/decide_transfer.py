"""``manage.py decide_transfer``: say whether a transfer that this database never signed was paid all the same."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from chains.models import Transfer
from chains.restored import call_paid_by, call_unpaid, undecided_hashes
from core.errors import InvalidRequest, NotFound


class Command(BaseCommand):
    """Shows transfers, or writes down what a person says of them; a worker goes on from there."""

    help = "After a restore: show what may have paid a transfer, or say that it was paid by a transaction, or was not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which transfers, and what of them."""
        parser.add_argument("transfers", type=UUID, nargs="+", metavar="ID", help="their ids")
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(
            "--paid-by", metavar="HASH", help="this transaction was the payment: follow it, send nothing"
        )
        choice.add_argument("--not-paid", action="store_true", help="it was not made: go on, and send it")

    def handle(self, *_: object, **options: Any) -> None:
        """Decide. Raises: CommandError with one sentence."""
        chosen: list[UUID] = options["transfers"]
        if options["paid_by"] and len(chosen) > 1:
            raise CommandError("One transaction pays one transfer: name one.")
        for transfer_id in chosen:
            try:
                self._show(_decided(transfer_id, options))
            except InvalidRequest as refusal:
                raise CommandError(refusal.details["fields"][0]["message"]) from None
            except NotFound:
                raise CommandError(f"There is no transfer {transfer_id}.") from None

    def _show(self, transfer: Transfer) -> None:
        self.stdout.write(
            f"{transfer.pk}  {transfer.status}  {transfer.base_units} units of {transfer.token_address} "
            f"on {transfer.chain} to {transfer.recipient}"
        )
        for tx_hash in undecided_hashes(transfer):
            self.stdout.write(f"   may have been paid by {tx_hash}")


def _decided(transfer_id: UUID, options: dict[str, Any]) -> Transfer:
    """Raises: InvalidRequest, NotFound."""
    if options["paid_by"]:
        return call_paid_by(transfer_id, options["paid_by"])
    if options["not_paid"]:
        return call_unpaid(transfer_id)
    found = Transfer.objects.filter(pk=transfer_id).first()
    if found is None:
        raise NotFound("transfer")
    return found
