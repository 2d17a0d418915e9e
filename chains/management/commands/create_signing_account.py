"""``manage.py create_signing_account``: let a key sign one merchant's refunds and payouts on one chain."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chains.services import Enrolment, Limits, create_signing_account
from chains.signers.registry import Backend
from core.errors import InvalidRequest
from core.modes import Mode
from core.money import ZERO_USD, UsdAmount, to_decimal_string


class Command(BaseCommand):
    """Enrols the address of a key; the caps are 0, so that nothing is sent, until they are set."""

    help = "Enrol a key's address as a merchant's account on a chain. Caps are 0 (nothing is sent) unless given."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose, where, which key, how much."""
        parser.add_argument("--merchant", type=int, required=True, help="the merchant's number")
        parser.add_argument("--chain", required=True, help="ethereum, base, solana, …")
        parser.add_argument("--backend", required=True, choices=[str(one) for one in Backend])
        parser.add_argument("--key", required=True, help="the key's name, or its id in AWS KMS; never the key itself")
        parser.add_argument("--mode", choices=Mode.values, default=Mode.LIVE)
        add_limits(parser)

    def handle(self, *_: object, **options: Any) -> None:
        """Enrol. Raises: CommandError with one sentence."""
        order = Enrolment(
            merchant_id=options["merchant"],
            chain=options["chain"],
            backend=options["backend"],
            key_reference=options["key"],
            mode=Mode(options["mode"]),
            limits=read_limits(options, Limits()),
        )
        try:
            account = create_signing_account(order)
        except InvalidRequest as refusal:
            raise CommandError(refusal.details["fields"][0]["message"]) from None
        self.stdout.write(f"account      {account.pk}\naddress      {account.address}\nnetwork      {account.network}")
        self.stdout.write(f"caps         {shown_caps(account.cap_per_transfer_usd, account.cap_per_day_usd)}")
        self.stdout.write("Fund the address with the token and with the chain's coin for fees.")


def add_limits(parser: ArgumentParser) -> None:
    """The arguments that say how much, and where to."""
    parser.add_argument("--cap-per-transfer", type=dollars, help="dollars; 0 sends nothing")
    parser.add_argument("--cap-per-day", type=dollars, help="dollars in any 24 hours; 0 sends nothing")
    parser.add_argument("--allow", action="append", metavar="ADDRESS", help="send there only; may be repeated")


def dollars(text: str) -> UsdAmount:
    """An amount of dollars. Raises: ValueError."""
    try:
        return UsdAmount(Decimal(text))
    except InvalidOperation:
        raise ValueError(text) from None


def read_limits(options: dict[str, Any], before: Limits) -> Limits:
    """The limits as given, and as they were where nothing is given."""
    transfer, day, allowed = options["cap_per_transfer"], options["cap_per_day"], options["allow"]
    return Limits(
        per_transfer_usd=before.per_transfer_usd if transfer is None else transfer,
        per_day_usd=before.per_day_usd if day is None else day,
        destinations=before.destinations if allowed is None else tuple(allowed),
    )


def shown_caps(per_transfer: UsdAmount, per_day: UsdAmount) -> str:
    """The caps for people."""
    if ZERO_USD in (per_transfer, per_day):
        return "nothing is sent: set both with change_signing_account"
    return f"{to_decimal_string(per_transfer)} dollars a transfer, {to_decimal_string(per_day)} in 24 hours"
