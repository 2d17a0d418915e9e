"""Which legs of an intent are looked at: read once, in one question, then decided from what was read alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import QuerySet

from chains.registry import Family, chain
from core.clock import now
from core.compiled import compiled_once
from core.modes import Mode
from payments.models import Credit, Leg, MarkedTransaction, PaymentIntent
from payments.services.marks import NEWS
from payments.services.underway import legs_of
from payments.states import FLYING_LEG, REVERTED, UNFILLED, UNSENT_LEG, LegStatus

NEWEST_WATCHED = 12
"""So many legs that nothing was seen of are looked at each time: those told of last."""
OLDER_EVERY, OLDER_A_LOOK = timedelta(minutes=3), 12
"""How often the others are looked at, and how many of them at once."""
OVER = (REVERTED, UNFILLED)
"""Errors of legs whose transaction can bring nothing any more."""
ALARM_WATCH = timedelta(hours=1)
"""How long money is still looked at after it was final. Why at all: a chain that takes it back needs a person."""
_RESTING = (LegStatus.CONFIRMED, LegStatus.REFUNDED, *UNSENT_LEG)


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """A leg, and what else decides whether it is looked at.

    ``has_news``: a reader found something of which no look has been written down since. ``is_uncounted``: something
    arrived that does not count yet; ``is_unfinal``: that its chain does not call final; ``is_guarded``: that counts,
    and is looked at until it is final and for a while after.
    """

    leg: Leg
    has_news: bool = False
    is_uncounted: bool = False
    is_unfinal: bool = False
    is_guarded: bool = False

    @property
    def may_bring_more(self) -> bool:
        """Whether its status lets money still come of it."""
        if self.leg.status == LegStatus.FAILED and self.leg.error in OVER:
            return self.is_unfinal
        return self.leg.status not in (LegStatus.CONFIRMED, LegStatus.REFUNDED)


def standings(intent: PaymentIntent, legs: Sequence[Leg] | None = None) -> list[Standing]:
    """How each leg of an intent stands, in their order. ``legs``: all of them, where they were just read.

    Why three plain questions: one with four others inside took longer to write and to answer.
    """
    rows = legs_of(intent) if legs is None else legs
    if not any(leg.issued for leg in rows):
        return [Standing(leg=leg) for leg in rows]  # nobody was given anything by which money could come
    credits = _credits_of(intent.pk)
    newly_marked = set(_newly_marked([leg.pk for leg in rows])) if intent.mode == Mode.LIVE else set()
    lately = now() - ALARM_WATCH
    unfinal = {leg for leg, _, finalized, vanished in credits if finalized is None and vanished is None}
    counting = {
        leg
        for leg, final, finalized, vanished in credits
        if final is not None and vanished is None and (finalized is None or finalized > lately)
    }
    uncounted = {leg for leg, final, _, _ in credits if final is None}
    return [
        Standing(
            leg=leg,
            has_news=leg.pk in newly_marked,
            is_uncounted=leg.pk in uncounted,
            is_unfinal=leg.pk in unfinal,
            is_guarded=leg.pk in counting,
        )
        for leg in rows
    ]


@compiled_once
def _credits_of(intent_id: UUID) -> QuerySet[Credit, tuple[UUID, datetime | None, datetime | None, datetime | None]]:
    own = Credit.objects.filter(intent_id=intent_id, leg__isnull=False, reversed_at=None)
    return own.values_list("leg_id", "final_at", "finalized_at", "vanished_at").distinct()


@compiled_once
def _newly_marked(legs: Sequence[UUID]) -> QuerySet[MarkedTransaction, UUID]:
    return MarkedTransaction.objects.filter(NEWS, leg__in=legs).values_list("leg_id", flat=True).distinct()


def awaited(legs: Iterable[Standing]) -> list[Standing]:
    """Legs whose transaction a payer has been given and whose money may still arrive.

    Why failed ones too: a wallet may send what its owner declined here; only a reverted transaction is over, and a
    bridge's order that nobody can fill any more; and neither is while something under its mark is not final. Why
    confirmed ones again: what was sent twice arrives twice, and no status ends a mark.
    """
    return [one for one in legs if one.leg.issued and (one.is_uncounted or one.has_news or one.may_bring_more)]


def watched(legs: Sequence[Standing], read: Mapping[str, int]) -> list[Leg]:
    """Which of the awaited legs are looked at now: what moves and the newest always, a few of the older ones in turn.

    The most urgent first; ``read`` as ``not_left_to_readers`` has it. Why not all: whoever has the link may begin
    tries, and each question takes from what others get.
    """
    found = [one.leg for one in not_left_to_readers(awaited(legs), read)]
    # By when anybody last said something of it: it was made, or a wallet named its transaction.
    found.sort(key=lambda leg: leg.submitted_at or leg.created_at, reverse=True)
    moving = [leg for leg in found if leg.status in FLYING_LEG]
    resting = [leg for leg in found if leg.status not in FLYING_LEG]
    waiting = [leg for leg in resting[NEWEST_WATCHED:] if _looked_at(leg) <= now() - OLDER_EVERY]
    older = sorted(waiting, key=_looked_at)[:OLDER_A_LOOK]
    return [*moving, *resting[:NEWEST_WATCHED], *older]


def _looked_at(leg: Leg) -> datetime:
    return leg.looked_at or leg.created_at


def not_left_to_readers(legs: Iterable[Standing], read: Mapping[str, int]) -> list[Standing]:
    """Those that must be looked at. Of the rest nothing is known, and what comes of them their chains' readers find.

    ``read``: how far chains are read by who finds the intent's payments (``marks.heights``).
    Why also where dust waits to count: it changes nothing, and is told all the same.
    """
    return [one for one in legs if one.has_news or one.is_uncounted or not _is_left_to_readers(one.leg, read)]


def _is_left_to_readers(leg: Leg, read: Mapping[str, int]) -> bool:
    is_quiet = leg.status in UNSENT_LEG and not leg.tx_hash and not leg.unsaid  # nobody said or saw anything of it
    return is_quiet and bool(leg.mark) and leg.chain in read and leg.to_chain in read


def guarded(intent: PaymentIntent, legs: Iterable[Standing]) -> list[Leg]:
    """Legs whose money counts, dust of one that is unpaid too, looked at until it is final and for a while after.

    Why not on Solana: there nothing counts before it is final. Why in test mode until then alone: there nothing is
    taken back later, but in a replay.
    """
    known = chain(intent.settlement_chain)
    if known is None or known.family is not Family.EVM:
        return []
    guards = [one for one in legs if one.is_guarded and one.leg.status in _RESTING]
    return [one.leg for one in guards if one.is_unfinal or intent.mode == Mode.LIVE]
