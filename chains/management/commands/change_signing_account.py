"""``manage.py change_signing_account``: caps, destinations, pause, resume, another place of the key, retirement."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chains.management.commands.create_signing_account import add_limits, read_limits, shown_caps
from chains.models import SigningAccount
from chains.services import Limits, move_key, pause_account, resume_account, retire_account, set_limits
from chains.signers.registry import Backend
from core.errors import InvalidRequest, NotFound

_ACTIONS = ("pause", "resume", "retire", "key")
_LIMITS = ("cap_per_transfer", "cap_per_day", "allow", "allow_any")


class Command(BaseCommand):
    """Changes one account; what is already signed may still land, whatever is changed."""

    help = "Change a signing account: its caps, where it may send, whether it signs, where its key is kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which account, and what."""
        parser.add_argument("account", type=int, help="its number, as list_signing_accounts shows it")
        add_limits(parser)
        parser.add_argument("--allow-any", action="store_true", help="forget the list: send anywhere")
        parser.add_argument("--pause", metavar="REASON", help="sign nothing more, at once")
        parser.add_argument("--resume", action="store_true", help="sign again")
        parser.add_argument("--retire", action="store_true", help="never sign again; another key can then be enrolled")
        parser.add_argument("--backend", choices=[str(one) for one in Backend], help="with --key: where it is now")
        parser.add_argument("--key", help="with --backend: the same key's name there")

    def handle(self, *_: object, **options: Any) -> None:
        """Change it. Raises: CommandError with one sentence."""
        chosen = [name for name in _ACTIONS if options[name]]
        is_limited = any(options[name] not in (None, False) for name in _LIMITS)
        if len(chosen) + is_limited != 1:
            raise CommandError("Say one thing: limits, --pause, --resume, --retire, or --backend with --key.")
        try:
            account = _change(options, chosen[0] if chosen else "limits")
        except InvalidRequest as refusal:
            raise CommandError(refusal.details["fields"][0]["message"]) from None
        except NotFound:
            raise CommandError(f"There is no signing account {options['account']}.") from None
        self.stdout.write(f"account  {account.pk}  {account}  {state_of(account)}")
        self.stdout.write(f"caps     {shown_caps(account.cap_per_transfer_usd, account.cap_per_day_usd)}")


def state_of(account: SigningAccount) -> str:
    """Whether it signs, for people."""
    if account.retired_at is not None:
        return "retired"
    return "signs" if account.paused_at is None else f"paused ({account.paused_reason})"


def _change(options: dict[str, Any], action: str) -> SigningAccount:
    number: int = options["account"]
    if action == "limits":
        return _limit(number, options)
    if action == "pause":
        return pause_account(number, options["pause"])
    if action == "key":
        if options["backend"] is None:
            raise CommandError("--key needs --backend: say where the key is kept now.")
        return move_key(number, options["backend"], options["key"])
    return resume_account(number) if action == "resume" else retire_account(number)


def _limit(number: int, options: dict[str, Any]) -> SigningAccount:
    account = SigningAccount.objects.filter(pk=number).first()
    if account is None:
        raise NotFound("signing_account")
    before = Limits(
        per_transfer_usd=account.cap_per_transfer_usd,
        per_day_usd=account.cap_per_day_usd,
        destinations=() if options["allow_any"] else tuple(account.allowed_destinations),
    )
    return set_limits(number, read_limits(options, before))
