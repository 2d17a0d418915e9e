"""What is done for a claimed payout before its chain is asked: whether it may be sent now, and what exactly."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from chains.models import Transfer
from chains.transfers import Course, RailName, course_of, may_still_land, request_transfer, withdraw_transfer
from core.clock import now
from core.sweeps import Claim
from merchants.admission import objection_to
from merchants.errors import MERCHANT_SUSPENDED
from merchants.selectors import is_suspended
from payments.models import PaymentIntent
from payments.services.balance import balance
from payments.services.refund import stands_for_good
from payments.states import IntentStatus
from payouts.models import Payout
from payouts.selectors import is_paused
from payouts.services.destination import was_given_up
from payouts.services.plan import order_for
from payouts.services.transition import WORKER, apply_trigger, locked_payout, look_again
from payouts.states import (
    BALANCE_CHANGED,
    DESTINATION_CHANGED,
    INTENT_NOT_SETTLED,
    MERCHANT_PAUSED,
    PAYOUT_MACHINE,
    SETTLEMENT_REVERSED,
    SIGNER_MISSING,
    PayoutStatus,
)

HOLD_POLL = timedelta(seconds=60)
CREDITS_POLL = timedelta(seconds=10)
"""How often a payout looks whether what it pays out is final."""
SENT = (PayoutStatus.PROCESSING, PayoutStatus.PENDING_PROVIDER)


@dataclass(frozen=True, kw_only=True)
class Hold:
    """Why nothing may be sent. ``look_again`` is None where somebody must act; ``is_final``: it never may."""

    reason: str
    look_again: timedelta | None = None
    is_final: bool = False


@transaction.atomic
def hold_back(payout_id: UUID, *, actor: str = WORKER) -> bool:
    """Pause a payout at once that whoever made it may not send any more; says whether it is held now.

    What may land already goes on, and what is paused for another reason is looked at when that is over.
    Locks: the payout, then its transfer.
    """
    return _hold_at_once(payout_id, _makers_hold, actor)


@transaction.atomic
def hold_moved(payout_id: UUID, *, actor: str = WORKER) -> bool:
    """The same for one to an address that was given up. Locks: the payout, then its transfer."""
    return _hold_at_once(payout_id, _destinations_hold, actor)


def _hold_at_once(payout_id: UUID, asked: Callable[[Payout], Hold | None], actor: str) -> bool:
    payout = locked_payout(payout_id)
    if payout.status in (*PAYOUT_MACHINE.terminal, PayoutStatus.PAUSED):
        return False
    objection = asked(payout)
    hold = None if objection is None else _withdrawn(payout, objection)
    if hold is None:
        return False
    if payout.status == PayoutStatus.RETRY_SCHEDULED:
        apply_trigger(payout, "requeue", actor=actor, retry_at=None)
    if payout.status == PayoutStatus.QUEUED:
        apply_trigger(payout, "claim", actor=actor)
    _hold(payout, hold, actor)
    return True


@transaction.atomic
def begin(claim: Claim[UUID]) -> UUID | None:
    """Bring a due payout to where its transfer can go on; None where there is nothing to go on with.

    Locks: the intent, so that what it holds stays so, then the payout. Written down before anything is sent: which
    transfer, to whom, how much.
    """
    list(PaymentIntent.objects.filter(payouts=claim.key).select_for_update(of=("self",), no_key=True))
    payout = locked_payout(claim.key)
    if payout.next_attempt_at != claim.until:
        return None
    if payout.status in PAYOUT_MACHINE.terminal:
        look_again(payout, None)
        return None
    hold = _hold_of(payout)
    match payout.status:
        case PayoutStatus.RETRY_SCHEDULED:
            apply_trigger(payout, "requeue", retry_at=None)
            _dispatch(payout, hold)
        case PayoutStatus.QUEUED:
            _dispatch(payout, hold)
        case PayoutStatus.PAUSED if hold is not None and not hold.is_final:
            look_again(payout, _next_look(hold), failure_reason=hold.reason)
        case PayoutStatus.PAUSED if not _waits_for_its_rail(payout):
            apply_trigger(payout, "resume", failure_reason="")
            _dispatch(payout, hold)
        case PayoutStatus.PROCESSING | PayoutStatus.PENDING_PROVIDER if hold is not None:
            _hold(payout, hold)
    goes_on = payout.status in SENT or (payout.status == PayoutStatus.PAUSED and hold is None)
    return payout.transfer_id if goes_on else None


def _is_for_good(payout: Payout) -> bool:
    """Whether what it pays out is final on its chain, or something sent for it may land: that is followed.

    Where the payment was taken away there is nothing to wait for here.
    """
    if payout.transfer_id is not None and may_still_land(_transfer(payout)):
        return True
    intent = payout.intent
    return intent is None or intent.status != IntentStatus.SETTLED or stands_for_good(intent)


def _dispatch(payout: Payout, hold: Hold | None) -> None:
    """Order the transfer, once what it pays out is final.

    Why the order is asked for again and again: it is the same one while that one lives.
    Where nobody can sign any more there is no order; a transfer that may land all the same is followed.
    """
    if hold is None and not _is_for_good(payout):
        look_again(payout, now() + CREDITS_POLL)
        return
    apply_trigger(payout, "claim")
    order = order_for(payout)
    if hold is None and order is None:
        hold = _withdrawn(payout, Hold(reason=SIGNER_MISSING, is_final=True))
    if hold is not None:
        _hold(payout, hold)
        return
    transfer = _transfer(payout) if order is None else request_transfer(order)
    apply_trigger(payout, "send", failure_reason="", transfer=transfer)


def _hold(payout: Payout, hold: Hold, actor: str = WORKER) -> None:
    trigger = "fail" if hold.is_final else "pause"
    facts: dict[str, Any] = {"failure_reason": hold.reason, "tx_hash": "", "next_attempt_at": _next_look(hold)}
    apply_trigger(payout, trigger, actor=actor, reason=hold.reason, **facts)


def _next_look(hold: Hold) -> datetime | None:
    return None if hold.look_again is None else now() + hold.look_again


def _hold_of(payout: Payout) -> Hold | None:
    """Why nothing may be sent now. What may land already is followed, whatever anybody wants by now."""
    hold = _merchants_hold(payout) or _intents_hold(payout) or _makers_hold(payout) or _destinations_hold(payout)
    return None if hold is None else _withdrawn(payout, hold)


def _withdrawn(payout: Payout, hold: Hold) -> Hold | None:
    """The hold, with the payout's transfer withdrawn; None where that one may land.

    Why withdrawn: a slow worker could still sign it behind the payout's back.
    """
    if payout.transfer_id is None:
        return hold
    if may_still_land(_transfer(payout)):
        return None
    return hold if withdraw_transfer(payout.transfer_id, actor=WORKER) else None


def _merchants_hold(payout: Payout) -> Hold | None:
    if is_suspended(payout.merchant_id):
        return Hold(reason=MERCHANT_SUSPENDED, look_again=HOLD_POLL)
    return Hold(reason=MERCHANT_PAUSED) if is_paused(payout.merchant_id, payout.mode) else None


def _intents_hold(payout: Payout) -> Hold | None:
    """Why its intent does not let it go. Why never again where the intent holds less: the rest is another payout's."""
    if payout.intent is None:
        return None
    if payout.intent.status == IntentStatus.SETTLED:
        is_there = payout.rail == RailName.DIRECT or balance(payout.intent).covers_all
        return None if is_there else Hold(reason=BALANCE_CHANGED, is_final=True)
    if payout.intent.status == IntentStatus.EXECUTING:
        return Hold(reason=SETTLEMENT_REVERSED, look_again=HOLD_POLL)
    return Hold(reason=INTENT_NOT_SETTLED, is_final=True)


def _makers_hold(payout: Payout) -> Hold | None:
    """What whoever made it may not send any more, unless a person let this very payout go."""
    objection = None if payout.released_by else objection_to(payout.created_by, payout.pk)
    if objection is None:
        return None
    return Hold(reason=objection.reason, look_again=None if objection.is_for_good else HOLD_POLL)


def _destinations_hold(payout: Payout) -> Hold | None:
    """An address that was given up, unless a person let it go there. Why asked each time: nothing else need be told."""
    return Hold(reason=DESTINATION_CHANGED) if was_given_up(payout) else None


def _waits_for_its_rail(payout: Payout) -> bool:
    """Whether it is paused for something that its transfer waits for, which only its rail can tell to be over."""
    return payout.transfer_id is not None and course_of(_transfer(payout)) is Course.WAITING


def _transfer(payout: Payout) -> Transfer:
    return Transfer.objects.get(pk=payout.transfer_id or "")
