"""What happened to a payout and to the transfers that were made for it, and its part in a payment's story."""

from collections.abc import Iterator
from uuid import UUID

from chains.models import TransferTransition
from core.models import TransitionRecord
from dashboard.cards import TimelineLine
from dashboard.histories import HistoryStep, steps_of
from dashboard.payouts.words import STATUS, why_words
from dashboard.visit import Visit
from payouts.models import Payout, PayoutTransition
from payouts.services import PURPOSE
from payouts.states import PayoutStatus

MOST_STEPS = 300
"""A payout takes some twenty; only one that was replayed over and over has more."""
_REPLAYS = {"replay": "Sent again", "resume": "Resumed", "pause": "Paused", "recognise": "Recognised as paid"}


def story_of(visit: Visit, payout: Payout) -> list[HistoryStep]:
    """Every step of the payout and of every transfer that was made for it, oldest first."""
    own = payout.history.order_by("-pk")[:MOST_STEPS]
    theirs = TransferTransition.objects.filter(subject__purpose=PURPOSE, subject__purpose_id=payout.pk)
    moves = theirs.select_related("subject").order_by("-pk")[:MOST_STEPS]
    lines: list[tuple[TransitionRecord, str]] = [(line, _what(line)) for line in own]
    lines += [(line, f"Transfer {line.subject.round}: {line.to_status.replace('_', ' ')}") for line in moves]
    return steps_of(visit, lines, why_words)


def _what(line: TransitionRecord) -> str:
    return _REPLAYS.get(line.trigger) or f"Payout {STATUS[PayoutStatus(line.to_status)].word.lower()}"


def story_of_payment(visit: Visit, intent_id: UUID) -> Iterator[TimelineLine]:
    """What happened to the payout of a payment."""
    mine = Payout.objects.visible_to(visit.principal).filter(intent_id=intent_id).values("pk")
    lines = PayoutTransition.objects.filter(subject__in=mine).order_by("-pk")[:MOST_STEPS]
    for line in lines:
        yield TimelineLine(
            at=line.created_at,
            kind="payout",
            what=_what(line),
            why=why_words(line.reason),
            by=line.actor,
            url=visit.url("payout", payout_id=line.subject_id),
            tone=STATUS[PayoutStatus(line.to_status)].tone,
        )
