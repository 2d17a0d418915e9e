"""Following signed legs: what was seen of them on their chains is written down, and moves them on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from chains.clients.base import (
    BridgeReport,
    LegView,
    Mark,
    ObservedTransfer,
    SeenStatus,
    SeenTransaction,
)
from chains.clients.gaps import WHOLE
from chains.registry import confirmations_required
from core.clock import now
from core.modes import Mode
from core.money import BaseUnits
from core.transitions import move
from payments.amounts import due_base_units, is_dust, value_at_frozen_rate
from payments.models import BridgeOrder, Credit, Leg, MarkedTransaction, PaymentAttempt, PaymentIntent, Verdict
from payments.rules import LEG_RULES, LegFacts, first_that_fits
from payments.services.balance import balance
from payments.services.booking import booking
from payments.services.credits import (
    Known,
    brought_by,
    record_transfers,
    rename_old_places,
    what_is_known,
    withdraw_missing,
)
from payments.services.elsewhere import OwnView, own_view
from payments.services.expire import end_if_over
from payments.services.finality import guard_credits
from payments.services.marks import is_read_by_blocks
from payments.services.outcome import conclude
from payments.services.rate import counted_in_all
from payments.services.reports import Looked, change_leg, forget_followed, weigh
from payments.services.schedule import HINT_LIFETIME
from payments.services.side_by_side import make_way
from payments.services.standing import OVER
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.services.underway import Underway, underway
from payments.services.unsaid import given_up, note_unsaid
from payments.services.watch import Sighting
from payments.states import (
    ATTEMPT_MACHINE,
    FLYING_LEG,
    INTENT_MACHINE,
    LEG_MACHINE,
    PARTIAL,
    REVERTED,
    UNSENT_LEG,
    AttemptStatus,
    IntentStatus,
    LegStatus,
)


@transaction.atomic
def record_sightings(
    intent_id: UUID, sightings: Mapping[UUID, Sighting], asked: Collection[UUID] = (), *, is_last: bool = False
) -> datetime | None:
    """Write down what was seen and draw the conclusions. ``asked``: the legs whose turn it was. Locks: the intent.

    When it is looked at next says the end of the worker's step, or, should the worker die before, the end of its lease.
    ``is_last``: this is that end, so what is over ends too; then it says when that is. An intent that is over now ends
    here in any case, lest it wait among those that are not should the worker die before that end.
    """
    intent = locked_intent(intent_id)
    way, moment = underway(intent), now()
    intent.legs.filter(pk__among=asked).update(looked_at=moment)
    for leg_id in asked:
        way.leg(leg_id).looked_at = moment
    for leg_id, seen in sightings.items():
        leg, known = way.leg(leg_id), what_is_known(intent, seen.view.everything)
        rename_old_places(intent, seen.view.everything, known.credits)
        _record_sighting(intent, way, leg, own_view(intent, leg, seen.view, known), known, seen.looked)
        MarkedTransaction.objects.filter(pk__among=seen.marked).update(looked_at=seen.at)
    conclude(intent, way)
    ends = is_last or intent.status in INTENT_MACHINE.terminal
    return end_if_over(intent, way) if ends else None


def _record_sighting(  # noqa: PLR0913 - what was seen, each by its name
    intent: PaymentIntent, way: Underway, leg: Leg, own: OwnView, known: Known, looked: Sequence[Looked]
) -> None:
    view = own.view
    note_unsaid(leg, view.unsaid)
    if WHOLE in view.unseen:
        return
    _remember(leg, view)
    _find(intent, way, leg, own, looked)
    guard_credits(intent, leg, view, own.whole.transfers)
    withdraw_missing(leg, view.everything, view.unseen)
    record_transfers(intent, leg, view.everything, known)
    if leg.status in FLYING_LEG:
        _follow(leg, view)
    elif leg.status == LegStatus.CONFIRMED:
        # What it is said to have brought is all that counts by it: money may come again.
        arrived = sum(brought_by(leg).filter(final_at__isnull=False).values_list("base_units", flat=True))
        if arrived != leg.output_base_units:
            change_leg(leg, {"output_base_units": arrived, "updated_at": now()})


def _remember(leg: Leg, view: LegView) -> None:
    """Keep what the next look starts from."""
    own = view.seen if view.seen is not None and view.seen.tag == str(leg.pk) else None
    facts = {
        "departed_at": own.block_time if own is not None and leg.chain != leg.to_chain else None,
        "scanned_block": view.scanned_to,
        "destination_scanned_block": view.destination_scanned_to,
        "source_nonce": None if own is None else own.nonce,
        "tx_hash": (own.tx_hash if own is not None else "") or None,
        "order_id": view.order_id or None,
    }
    if view.order_id and view.order_id != leg.order_id:
        BridgeOrder.objects.get_or_create(leg=leg, order_id=view.order_id)
    change_leg(leg, {name: fact for name, fact in facts.items() if fact is not None and fact != getattr(leg, name)})


def _find(intent: PaymentIntent, way: Underway, leg: Leg, own: OwnView, looked: Sequence[Looked]) -> None:
    """Notice that a leg was sent: by what somebody reported or, without that, by what arrived.

    Why the status is asked again: another worker may have gone further since this one looked. One that is over is
    looked at for its last credits alone.
    """
    view = own.view
    if leg.status not in UNSENT_LEG or (leg.error in OVER and not _came_after_all(leg, view)):
        return
    weigh(leg, looked, own.taken)
    # Why by the hints too: where no node named its hash, nothing else says that it counts for another payment.
    is_taken = any(one.is_own and one.hint.tx_hash in own.taken for one in looked)
    if view.seen is not None and (view.seen.tag != str(leg.pk) or is_taken):
        view = replace(view, seen=None)
    if _is_dust(intent, leg, _brought(view)):
        return  # booked, and no more: anybody can send a little under a mark that the page shows
    is_somewhere = view.seen is not None and view.seen.status != SeenStatus.REPLACED
    if is_somewhere or view.transfers:
        changes: dict[str, Any] = {"submitted_at": leg.submitted_at or now(), "updated_at": now(), "error": ""}
        move(LEG_MACHINE, leg, "submit", changes)
        begin_execution(intent, way, leg)


def _came_after_all(leg: Leg, view: LegView) -> bool:
    """Whether money came although the leg's transaction failed, or was sent again. A wallet repeats what failed."""
    own = view.seen is not None and view.seen.tag == str(leg.pk)
    return bool(view.transfers) or (leg.error == REVERTED and own and _is_included(view.seen))


def _brought(view: LegView) -> BaseUnits:
    """What arrived by a leg; as long as nothing did, what its own transfer says that it will bring.

    With what a wallet claimed, which is in a block and may not count yet: what came meanwhile must not hide it.
    """
    if view.transfers or view.seen is None:
        return BaseUnits(sum(transfer.base_units for transfer in view.transfers) + _awaited(view))
    return view.seen.carries or BaseUnits(0)


def _awaited(view: LegView) -> int:
    """How much the leg's own transaction brought that may not count before its block is final: a claimed one."""
    return (view.seen.carries or 0) if view.seen is not None and _is_included(view.seen) else 0


def _is_dust(intent: PaymentIntent, leg: Leg, arrived: BaseUnits) -> bool:
    """Whether something arrived that is neither what the leg was to bring, nor the rest, nor worth a change of status.

    Source: docs/live.md.
    """
    if not arrived or arrived >= leg.min_output_base_units:
        return False
    own = brought_by(leg).filter(final_at__isnull=False)
    counted = counted_in_all(own.values_list("base_units", "counted_base_units"))
    kept = BaseUnits(balance(intent).counted_net - counted + arrived)
    return is_dust(intent, value_at_frozen_rate(intent, arrived)) and due_base_units(intent, kept) > 0


def begin_execution(intent: PaymentIntent, way: Underway, leg: Leg) -> None:
    """Take the attempt and its intent along once a leg was sent. Locks: the caller holds the intent's lock."""
    attempt: PaymentAttempt | None = leg.attempt
    if attempt is not None and attempt.status == AttemptStatus.AWAITING_SIGNATURE:
        move(ATTEMPT_MACHINE, attempt, "sign", {"signed_at": now()})
        if intent.status == IntentStatus.AWAITING_SIGNATURE:
            apply_trigger(intent, "sign", actor=PAYER)
            make_way(intent, way, "another payment is on its way")


def _follow(leg: Leg, view: LegView) -> None:
    """Move a leg that was sent by what is now known of it."""
    own = _final_credits(leg, view.transfers, is_awaited=_awaited(view) > 0)
    rule, changes = first_that_fits(LEG_RULES, _facts(leg, view, own)), _block_facts(view)
    if rule is None or rule.trigger is None:
        change_leg(leg, changes)
        return
    if rule.trigger == "fail":
        changes |= {"error": rule.error} | forget_followed(leg, rule.error)
    elif rule.trigger == "give_back" and view.refund is not None:
        changes["destination_tx_hash"] = view.refund.tx_hash
    elif rule.trigger == "confirm":
        changes |= _confirmation(leg, view, own)
    with booking(leg):
        move(LEG_MACHINE, leg, rule.trigger, changes)


def _facts(leg: Leg, view: LegView, own: list[Credit]) -> LegFacts:
    """Why another depth than an arrival's: a failure and a return happen on the payer's chain."""
    seen, refund, depth = view.seen, view.refund, confirmations_required(leg.chain)
    return LegFacts(
        status=leg.status,
        is_replaced=seen is not None and seen.status == SeenStatus.REPLACED,
        has_failed=seen is not None and seen.status == SeenStatus.REVERTED and not view.transfers,
        is_deep=seen is not None and seen.confirmations >= depth,
        is_included=_is_included(seen),
        waits_too_long=_waits_too_long(leg, view),
        is_returned=refund is not None and refund.confirmations >= depth,
        is_void=view.report == BridgeReport.VOID,
        is_unknown=view.report == BridgeReport.UNKNOWN,
        has_arrived=bool(view.transfers),
        is_counted=bool(own),
    )


def _waits_too_long(leg: Leg, view: LegView) -> bool:
    """Whether what a wallet sent is in no block for ten minutes: the payer may try again, and its mark is watched on.

    Why on EVM chains of live mode alone: a Solana transaction ends by itself, and play chains tell how theirs go.
    """
    if leg.mode != Mode.LIVE or not is_read_by_blocks(leg.chain):
        return False
    if view.transfers or _is_included(view.seen) or view.unseen - given_up(leg):
        return False
    since = leg.submitted_at if leg.status == LegStatus.SUBMITTED else _gone_since(leg)
    return since is not None and now() - since > HINT_LIFETIME


def _gone_since(leg: Leg) -> datetime | None:
    """Since when a branch has all that a leg brought, and nothing was reported anew; None where that is not known.

    Why not over a bridge: what is gone there is the fill, and the deposit stands. Why not once it was settled: what
    comes back restores that only while its intent has not ended.
    """
    if leg.chain != leg.to_chain or leg.intent.settled_less_usd is not None:
        return None
    came = leg.credits.filter(intent_id=leg.intent_id).exclude(mark=Mark.STRAY).values_list("reversed_at", flat=True)
    gone = [moment for moment in came if moment is not None]
    if not gone or len(gone) < len(came):
        return None
    return max(gone if leg.submitted_at is None else [*gone, leg.submitted_at])


def _is_included(seen: SeenTransaction | None) -> bool:
    return seen is not None and seen.status == SeenStatus.INCLUDED


def _block_facts(view: LegView) -> dict[str, Any]:
    """Block number and depth: of the arrival once there is one, until then of the payer's transaction."""
    facts: dict[str, Any] = {"updated_at": now()}
    if view.transfers:
        facts["confirmations"] = min(transfer.confirmations for transfer in view.transfers)
        facts["block_number"] = view.transfers[0].block_number
    elif view.seen is not None and view.seen.block_number is not None:
        facts["confirmations"] = view.seen.confirmations
        facts["block_number"] = view.seen.block_number
    return facts


def _final_credits(leg: Leg, transfers: tuple[ObservedTransfer, ...], *, is_awaited: bool) -> list[Credit]:
    """The leg's own credits once all that is seen of it, and all that is credited, counts; else none.

    Why not by what is seen alone: that may be credited to somebody else. Why none while a claim waits: what came
    beside it, dust for one, would end the leg without it.
    """
    if is_awaited or not all(transfer.confirmations >= leg.confirmations_required for transfer in transfers):
        return []
    own = list(brought_by(leg).order_by("pk")) if transfers else []
    return own if all(credit.final_at is not None for credit in own) else []


def _confirmation(leg: Leg, view: LegView, own: list[Credit]) -> dict[str, Any]:
    """What is written of a leg that brought its money."""
    arrived = sum(credit.base_units for credit in own)
    largest = max(view.transfers, key=lambda one: one.base_units)
    # Why the told hash may be nowhere: a wallet that pays more for speed sends the same call under another one.
    sent_as = largest.tx_hash if largest.chain == leg.chain else ""
    # Why one that was claimed and found stays: a branch has it, nothing else leads back to it, and it may come again.
    found = leg.hints.filter(tx_hash=leg.tx_hash, verdict=Verdict.FOUND)
    is_kept = view.seen is not None or (bool(leg.payer_claim) and found.exists())
    return {
        "tx_hash": leg.tx_hash if is_kept else sent_as or leg.tx_hash,
        "destination_tx_hash": largest.tx_hash,
        "output_base_units": arrived,
        "sub_status": PARTIAL if arrived < leg.min_output_base_units else "",
        "confirmed_at": now(),
    }
