"""What happened to a refund and to the transfer that sends it, in one column, oldest first."""

from datetime import datetime
from typing import NamedTuple

from core.models import TransitionRecord
from merchants.models import User
from refunds.models import Refund


class Step(NamedTuple):
    """One thing that happened, who did it, and why."""

    at: datetime
    what: str
    why: str
    by: str


_WHY = {
    "stated_unsigned": "Stated that nothing was signed",
    "expired": "It could no longer be used",
    "found": "It was found on the chain after all",
    "reorganised": "Its block is gone",
}


def story_of(refund: Refund) -> list[Step]:
    """Every step of the refund, and of its transfers' newest one."""
    lines: list[tuple[TransitionRecord, str]] = [
        (line, f"Refund {line.to_status}") for line in refund.history.order_by("pk")
    ]
    if refund.transfer is not None:
        lines += [(line, f"Transfer {line.to_status}") for line in refund.transfer.history.order_by("pk")]
    lines.sort(key=lambda one: one[0].created_at)
    people = _people([line for line, _ in lines])
    return [_step(line, what.replace("_", " "), people) for line, what in lines]


def _step(line: TransitionRecord, what: str, people: dict[str, str]) -> Step:
    why = _WHY.get(line.reason, line.reason.replace("_", " ").capitalize())
    return Step(at=line.created_at, what=what, why=why, by=people.get(line.actor, _by(line.actor)))


def _by(actor: str) -> str:
    return "an API key" if actor.startswith("key:") else actor


def _people(lines: list[TransitionRecord]) -> dict[str, str]:
    """The address of each person among the actors."""
    numbers = {line.actor.removeprefix("user:") for line in lines if line.actor.startswith("user:")}
    known = User.objects.filter(pk__in=[number for number in numbers if number.isdecimal()])
    return {f"user:{person.pk}": person.email for person in known}
