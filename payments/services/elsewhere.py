"""A transfer with a leg's mark that counts for somebody else: left out of what is seen, and told, once.

Source: docs/adr/0044.
"""

import logging
from dataclasses import dataclass, replace

from django.db import transaction

from chains.clients.base import BridgeReport, LegView, ObservedTransfer
from core.clock import now
from core.money import BaseUnits
from core.transitions import move
from payments.models import CountedElsewhere, Leg, PaymentIntent
from payments.services.booking import booking
from payments.services.credits import Known, brought_by, event_of
from payments.services.finality import REOPENED
from payments.services.outcome import conclude
from payments.services.reports import forget_followed
from payments.services.schedule import look_soon
from payments.services.titles import is_held_by, note_taken, outranks
from payments.services.transition import locked_intent, tell
from payments.services.underway import underway
from payments.states import FLYING_LEG, LEG_MACHINE, TAKEN, LegStatus

EVENT = "payment_intent.payment_counted_elsewhere"
MOST = 50
"""Told in one go; the rest waits for the next sweep."""
_LOGGER = logging.getLogger("causeway.payments")


@dataclass(frozen=True, kw_only=True)
class OwnView:
    """What was seen of a leg, without what is somebody else's; and the transactions of which nothing is left.

    ``whole``: all that was seen, whosever it is.
    """

    view: LegView
    whole: LegView
    taken: frozenset[str] = frozenset()


def own_view(intent: PaymentIntent, leg: Leg, view: LegView, known: Known) -> OwnView:
    """Leave out what counts for somebody else by a title as good as the leg's, and have that told.

    Locks: the caller holds the intent's lock.
    """
    others = [transfer for transfer in view.transfers if _is_anothers(intent, leg, transfer, known)]
    if not others:
        return OwnView(view=view, whole=view)
    left = tuple(transfer for transfer in view.transfers if transfer not in others)
    taken = frozenset(one.tx_hash for one in others) - {one.tx_hash for one in left}
    is_seen = view.seen is not None and view.seen.tx_hash not in taken
    report = view.report if left or view.report != BridgeReport.DONE else BridgeReport.WAITING
    stripped = replace(view, transfers=left, seen=view.seen if is_seen else None, report=report)
    return OwnView(view=stripped, whole=view, taken=taken)


def _is_anothers(intent: PaymentIntent, leg: Leg, transfer: ObservedTransfer, known: Known) -> bool:
    event = event_of(intent.mode, transfer)
    credit = known.credits.get(event)
    if credit is not None and is_held_by(credit, leg):
        return False
    if known.owners.is_proof(event):
        note_taken(leg, transfer)
        return True
    if credit is None or outranks(leg, transfer, credit):
        return False
    if credit.intent_id != intent.pk:
        note_taken(leg, transfer)
    return True


def tell_losses() -> int:
    """Tell what is noted, each in a transaction of its own; says how many."""
    due = CountedElsewhere.objects.filter(told_at=None).order_by("noticed_at", "pk").values_list("pk", flat=True)
    announced = 0
    for loss_id in list(due[:MOST]):
        try:
            announced += _tell(loss_id)
        except Exception:
            _LOGGER.exception("could not tell loss %s", loss_id)
    return announced


@transaction.atomic
def _tell(loss_id: int) -> bool:
    """Bring the one who lost a transfer in line, and say so. Locks: the intent."""
    loss = CountedElsewhere.objects.get(pk=loss_id)
    intent = locked_intent(loss.intent_id)
    if not CountedElsewhere.objects.filter(pk=loss_id, told_at=None).update(told_at=now()):
        return False
    _LOGGER.error(
        "payment_counted_elsewhere: %s on %s has the mark of leg %s of intent %s and counts for another",
        loss.tx_hash,
        loss.chain,
        loss.leg_id,
        loss.intent_id,
    )
    way = underway(intent)
    _align(way.leg(loss.leg_id), loss)
    tell(intent, EVENT)
    conclude(intent, way)
    conclude(intent, way)  # Why twice: a settlement that is taken back is open again, and then ends.
    look_soon(intent)
    return True


def _align(leg: Leg, loss: CountedElsewhere) -> None:
    """A leg without money of its own is open for it again; one with some has only that.

    Why one between chains stays as it is: its own transaction stands, and what became of its order needs a person.
    """
    own = list(brought_by(leg))
    if own:
        leg.output_base_units = BaseUnits(sum(credit.base_units for credit in own))
        leg.save(update_fields=["output_base_units"])
        return
    was_confirmed, facts = leg.status == LegStatus.CONFIRMED, {"updated_at": now()}
    if was_confirmed:
        with booking(leg):
            move(LEG_MACHINE, leg, "reopen", REOPENED | facts)
    is_over = was_confirmed or (leg.chain == leg.to_chain and leg.tx_hash in {"", loss.tx_hash})
    if is_over and leg.status in FLYING_LEG:
        move(LEG_MACHINE, leg, "fail", {"error": TAKEN, **forget_followed(leg, TAKEN), **facts})
