"""What became of a payout's transfer, written down: paid, sent, to be tried again, waiting, or failed."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from chains.models import Transfer
from chains.states import TransferStatus
from chains.transfers import DISPATCH_BACKOFF, Course, course_of, may_still_land, poll_interval, withdraw_transfer
from core.clock import now
from core.sweeps import Claim
from payments.services.settled import announce_movement
from payouts.models import Payout
from payouts.services.transition import WORKER, apply_trigger, locked_payout, look_again
from payouts.states import PayoutStatus

PATIENCE_POLL = timedelta(seconds=30)
"""How often what waits for a person or for another day is looked at."""
SHORT_WAITS = frozenset({"signer_busy", "awaiting_wallet"})
"""Patient hindrances that are no pause: they belong to sending."""
WITHDRAWN = "withdrawn"
ON_CHAIN = (TransferStatus.BROADCAST, TransferStatus.MINED)


@transaction.atomic
def conclude(claim: Claim[UUID], transfer: Transfer) -> None:
    """Bring a payout in line with its transfer. A worker that lost its claim writes nothing.

    Locks: the payout, then its transfer. An unknown outcome is never a failure.
    """
    payout = locked_payout(claim.key)
    if payout.next_attempt_at != claim.until:
        return
    course = course_of(transfer)
    if payout.status == PayoutStatus.PAUSED and course is not Course.WAITING:
        # What it was paused for is over, and its transfer went on. Why no new order: that one's outcome counts.
        for trigger in ("resume", "claim", "send"):
            apply_trigger(payout, trigger, failure_reason="")
    _CONCLUSIONS[course](payout, transfer)


def _pay(payout: Payout, transfer: Transfer) -> None:
    _submit(payout, transfer)
    apply_trigger(payout, "pay", tx_hash=transfer.tx_hash, paid_at=transfer.paid_at or now(), next_attempt_at=None)
    if payout.intent is not None:
        announce_movement(payout.intent)


def _submit(payout: Payout, transfer: Transfer) -> None:
    if payout.status == PayoutStatus.PROCESSING:
        apply_trigger(payout, "submit", tx_hash=transfer.tx_hash, attempts=payout.attempts + 1)


def _follow(payout: Payout, transfer: Transfer) -> None:
    """Look again soon. The hash changes where a transaction had to be replaced."""
    if transfer.status in ON_CHAIN:
        _submit(payout, transfer)
    facts = {"tx_hash": transfer.tx_hash} if payout.status == PayoutStatus.PENDING_PROVIDER else {}
    look_again(payout, now() + poll_interval(transfer), **facts)


def _wait(payout: Payout, transfer: Transfer) -> None:
    """Nothing was sent and no attempt is lost. Longer waits are told as a pause."""
    if payout.status == PayoutStatus.PAUSED or transfer.blocker in SHORT_WAITS or may_still_land(transfer):
        look_again(payout, now() + (PATIENCE_POLL if payout.status == PayoutStatus.PAUSED else poll_interval(transfer)))
        return
    apply_trigger(
        payout,
        "pause",
        reason=transfer.blocker,
        failure_reason=transfer.blocker,
        tx_hash="",
        next_attempt_at=now() + PATIENCE_POLL,
    )


def _fail(payout: Payout, transfer: Transfer) -> None:
    """For good, unless it only made way for what was asked of this payout meanwhile."""
    if transfer.failure == WITHDRAWN:
        _try_again(payout, transfer)
    else:
        _end(payout, transfer)


def _try_again(payout: Payout, transfer: Transfer) -> None:
    """Later, as often as the budget allows. Why withdrawn before it is given up: a slow worker could still sign it.

    What can no more be withdrawn is not given up: it may land.
    """
    attempts = _attempts_with_this(payout)
    wait = DISPATCH_BACKOFF.wait_after(attempts - payout.attempts_before)
    if wait is None:
        if withdraw_transfer(transfer.pk, actor=WORKER):
            _end(payout, transfer)
            return
        wait = timedelta(seconds=DISPATCH_BACKOFF.delays_seconds[-1])
    retry_at, reason = now() + wait, _reason(transfer)
    apply_trigger(
        payout,
        "postpone",
        reason=reason,
        attempts=attempts,
        failure_reason=reason,
        tx_hash="",
        retry_at=retry_at,
        next_attempt_at=retry_at,
    )


def _end(payout: Payout, transfer: Transfer) -> None:
    attempts, reason = _attempts_with_this(payout), _reason(transfer)
    apply_trigger(payout, "fail", reason=reason, attempts=attempts, failure_reason=reason, next_attempt_at=None)


def _reason(transfer: Transfer) -> str:
    """Why it is not paid: what ended it, else what hinders it."""
    return transfer.failure or transfer.blocker


def _attempts_with_this(payout: Payout) -> int:
    """An attempt is counted when it is sent, or when it ends unsent."""
    return payout.attempts + (1 if payout.status == PayoutStatus.PROCESSING else 0)


_CONCLUSIONS: dict[Course, Callable[[Payout, Transfer], None]] = {
    Course.PAID: _pay,
    Course.FAILED: _fail,
    Course.REVERTED: _try_again,
    Course.UNSENT: _try_again,
    Course.WAITING: _wait,
    Course.UNDER_WAY: _follow,
}
