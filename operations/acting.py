"""What every command of an operator's act has in common: who acts, why, and a refusal in one sentence."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import transaction

from chains.gas_accounts import gas_accounts
from core.errors import ServiceError
from core.pauses import Paused, is_quiet, pause, resume, standing
from merchants.audit import record_operators_act
from merchants.models import User
from merchants.services.operators import TERMINAL

BY_LENGTH = 60


def add_why(parser: ArgumentParser) -> None:
    """Why it is done, and by whom."""
    parser.add_argument(
        "--reason", required=True, help="why; it stands in the audit, and in the mail to whom it concerns"
    )
    parser.add_argument("--by", default="", help="who acts, for the audit")


def actor_of(by: str) -> str:
    """How audits name who acts at a terminal."""
    return f"operator:{by[:BY_LENGTH]}" if by else TERMINAL


@contextmanager
def refusing() -> Iterator[None]:
    """Say a refusal in one sentence. Raises: CommandError."""
    try:
        yield
    except ServiceError as refusal:
        fields = refusal.details.get("fields", ())
        raise CommandError(fields[0]["message"] if fields else refusal.message) from None


def person_with(email: str) -> User:
    """The account with this address. Raises: CommandError."""
    person = User.objects.filter(email=email.lower()).first()
    if person is None:
        raise CommandError(f"No account has the address {email}.")
    return person


def pausable() -> list[str]:
    """Every kind of pause that there is here: of the whole service, and of each gas account."""
    return [*(kind.value for kind in Paused), *(account.pause_kind for account in gas_accounts())]


@transaction.atomic
def pause_all(kind: str, *, reason: str, name: str, by: str) -> None:
    """Pause a kind for every process; again changes nothing. ``name``: who, as the band shows it."""
    if kind not in standing():
        pause(kind, reason=reason, by=name)
        record_operators_act(by, f"{kind}.paused", after={"reason": reason})


class PutBack(Exception):  # noqa: N818 - a state of the database, in a sentence
    """What is paused is so because the database was put back: it goes on once the chains were read."""

    def __init__(self) -> None:
        super().__init__("This database was put back from a backup: let it go by manage.py restored --let-go.")


@transaction.atomic
def resume_all(kind: str, *, name: str, by: str) -> bool:
    """Let it go on; says whether it was paused. Raises: PutBack."""
    stands = standing().get(kind)
    if stands is not None and is_quiet(stands):
        raise PutBack
    was_paused = resume(kind, by=name)
    if was_paused:
        record_operators_act(by, f"{kind}.resumed")
    return was_paused
