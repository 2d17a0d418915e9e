"""``manage.py list_signing_accounts``: who signs what, within which caps."""

from typing import Any

from django.core.management.base import BaseCommand

from chains.management.commands.change_signing_account import state_of
from chains.management.commands.create_signing_account import shown_caps
from chains.models import SigningAccount
from chains.signers.policy import sent_within_a_day
from core.money import to_decimal_string


class Command(BaseCommand):
    """Lists every account with its caps and what it sent in the last 24 hours."""

    help = "List the accounts that sign: number, merchant, address, state, caps, sent in the last 24 hours."

    def handle(self, *args: Any, **options: Any) -> None:
        """One paragraph an account."""
        for account in SigningAccount.objects.order_by("pk"):
            sent = to_decimal_string(sent_within_a_day(account))
            places = len(account.allowed_destinations) or "any"
            self.stdout.write(
                f"{account.pk}  merchant {account.merchant_id} {account.mode}  {account}  {state_of(account)}\n"
                f"   key {account.backend}:{account.key_reference}  destinations: {places}\n"
                f"   {shown_caps(account.cap_per_transfer_usd, account.cap_per_day_usd)}; {sent} in the last 24 hours"
            )
