"""What no node can say of a leg: asked again after a growing pause, and told to a person after five tries.

Kept by part (a transaction, a search, or the whole look): how often it was asked in vain, and when it is asked again.
A part that is ``unreadable`` is asked on at the longest pause, and nothing waits for it any more.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

from chains.clients.base import BridgeReport, LegView
from chains.clients.gaps import WHOLE
from core.clock import now
from payments.models import Leg

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (2, 10, 30, 120))
LONGEST_PAUSE = timedelta(minutes=5)
TRIES = len(PAUSES) + 1
"""After so many a part is unreadable."""
MOST_PARTS = 20
"""Of one leg. Why: anybody can send transactions that nobody can read; beyond that all of them are one alarm."""
_LOGGER = logging.getLogger("causeway.payments")


def unanswered_view(reason: str) -> LegView:
    """The view of a leg of which no node could say anything."""
    return LegView(
        seen=None,
        transfers=(),
        refund=None,
        report=BridgeReport.WAITING,
        unsaid={WHOLE: reason},
        unseen=frozenset({WHOLE}),
    )


def left_alone(leg: Leg) -> frozenset[str]:
    """The parts that are not asked about yet."""
    moment = now()
    return frozenset(part for part in leg.unsaid if _again_at(leg, part) > moment)


def given_up(leg: Leg) -> frozenset[str]:
    """The unreadable parts that are not asked about now: nothing waits for them."""
    alone = left_alone(leg)
    return frozenset(part for part, (tries, _) in leg.unsaid.items() if tries >= TRIES and part in alone)


def paused_until(leg: Leg) -> datetime | None:
    """Until when the whole leg is left alone; None where it is not."""
    return _again_at(leg, WHOLE) if WHOLE in left_alone(leg) else None


def note_unsaid(leg: Leg, unsaid: Mapping[str, str]) -> None:
    """Write down what was asked in vain now, and forget what was answered. Locks: the caller holds the intent's."""
    alone = left_alone(leg)
    kept = {part: facts for part, facts in leg.unsaid.items() if part in alone and part not in unsaid}
    for part, reason in unsaid.items():
        if len(kept) == MOST_PARTS:
            _tell(leg, f"more than {MOST_PARTS} parts", reason)
            break
        tries = leg.unsaid.get(part, (0, ""))[0] + 1
        pause = PAUSES[tries - 1] if tries < TRIES else LONGEST_PAUSE
        kept[part] = (tries, (now() + pause).isoformat())
        if tries == TRIES:
            _tell(leg, part, reason)
    if kept != leg.unsaid:
        leg.unsaid = kept
        leg.save(update_fields=["unsaid"])


def _again_at(leg: Leg, part: str) -> datetime:
    return datetime.fromisoformat(leg.unsaid[part][1])


def _tell(leg: Leg, part: str, reason: str) -> None:
    _LOGGER.error("leg_unreadable: no node of %s can say %s of leg %s: %s", leg.chain, part, leg.pk, reason)
