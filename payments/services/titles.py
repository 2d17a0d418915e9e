"""Who has the better title to a transfer, and who must be told that it counts for somebody else.

A mark in the transaction itself is better than a claim, and a claim better than nothing: whoever looks first does not
decide. Of two marks the one whose amount it fits, else the older leg, as long as nothing counts by it.
Source: docs/adr/0044.
"""

from uuid import UUID

from chains.clients.base import Mark, ObservedTransfer
from payments.models import CountedElsewhere, Credit, Leg
from payments.services.schedule import wake_worker


def is_held_by(credit: Credit, leg: Leg) -> bool:
    """Whether a credit is this leg's, or its intent's without a leg, or nobody's and moved in this leg's call."""
    if credit.leg_id is None:
        return credit.intent_id == leg.intent_id
    return credit.leg_id == leg.pk


def outranks(leg: Leg, transfer: ObservedTransfer, credit: Credit) -> bool:
    """Whether what the transfer carries for a leg is a better title than the one by which another holds it."""
    if credit.promised_at is not None:
        return False  # Why: a refund gives it back, so it can settle nothing any more.
    # Why somebody's without a mark is as strong as any: it was written before marks were kept.
    is_unmarked = credit.intent_id is not None and not credit.mark
    ours, theirs = transfer.mark.strength, (Mark.TAG if is_unmarked else Mark(credit.mark)).strength
    if ours != theirs or credit.leg is None:
        return ours > theirs
    if credit.final_at is not None:
        return False  # Why: a payer with two marks in one payment must not take back what was delivered for the first.
    return _claim_of(leg, transfer.base_units) < _claim_of(credit.leg, transfer.base_units)


def _claim_of(leg: Leg, units: int) -> tuple[bool, object, UUID]:
    """The lower one goes first: what fits to the unit, then the older."""
    return (units != leg.min_output_base_units, leg.created_at, leg.pk)


def note_loss(credit: Credit) -> None:
    """Have whoever holds a credit told that it now counts for another. Of nobody's, and of strays, nothing is."""
    if credit.intent_id is None or credit.leg is None or credit.mark == Mark.STRAY:
        return
    note_taken(credit.leg, credit)


def note_taken(leg: Leg, fact: ObservedTransfer | Credit) -> None:
    """Write down, once, that a transfer with a leg's mark counts for somebody else; a worker tells it.

    Why not at once: that needs the lock of the leg's own intent, and the caller may hold another's.
    """
    _, is_new = CountedElsewhere.objects.get_or_create(
        leg_id=leg.pk,
        chain=fact.chain,
        tx_hash=fact.tx_hash,
        kind=fact.kind,
        position=fact.position,
        defaults={
            "intent_id": leg.intent_id,
            "merchant_id": leg.merchant_id,
            "mode": leg.mode,
            "base_units": fact.base_units,
        },
    )
    if is_new:
        wake_worker()
