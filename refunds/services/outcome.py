"""What a refund's transfer amounts to: paid, try again, over, or look again."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from chains.models import Transfer
from chains.transfers import DISPATCH_BACKOFF, Course, RailName, course_of, poll_interval
from core.clock import now
from payments.services.balance import note_returned
from payments.services.refund import mark_refunded, record_refund
from payments.services.transition import locked_intent
from refunds.models import Refund
from refunds.selectors import returned_from
from refunds.services.cancel import withdrawn
from refunds.services.transition import WORKER, apply_trigger, locked_refund
from refunds.states import ADDRESSED, R

MARK_POLL = timedelta(seconds=30)
"""How often a paid refund looks whether its intent, which was busy, can be marked as refunded."""
_OVER = (Course.UNSENT, Course.REVERTED, Course.FAILED)


def conclude(intent_id: UUID, refund_id: UUID, transfer: Transfer) -> None:
    """Bring a refund in line with its transfer. An outcome that is not known changes nothing."""
    course = course_of(transfer)
    if course is Course.PAID:
        _record_paid(intent_id, refund_id, transfer)
    elif course in _OVER:
        _end_attempt(intent_id, refund_id)
    else:
        _look_again(refund_id, transfer)


@transaction.atomic
def tell_intent(intent_id: UUID, refund_id: UUID) -> None:
    """Try again to mark the intent of a paid refund as refunded. Locks: the intent, then the refund."""
    intent = locked_intent(intent_id)
    refund = locked_refund(refund_id)
    refund.next_attempt_at = None if mark_refunded(intent) else now() + MARK_POLL
    refund.save(update_fields=["next_attempt_at"])


@transaction.atomic
def _record_paid(intent_id: UUID, refund_id: UUID, transfer: Transfer) -> None:
    """Write the payment down, with what it means for the intent. Locks: the intent, then the refund."""
    intent = locked_intent(intent_id)
    refund = locked_refund(refund_id)
    if refund.status != R.PROCESSING:
        return
    is_marked = refund.stray_id is not None or record_refund(intent, refund.amount_usd)
    apply_trigger(
        refund,
        "pay",
        tx_hash=transfer.tx_hash,
        paid_at=transfer.paid_at or now(),
        next_attempt_at=None if is_marked else now() + MARK_POLL,
    )


@transaction.atomic
def _end_attempt(intent_id: UUID, refund_id: UUID) -> None:
    """Plan the next attempt, or give up where there is none or it would end alike.

    Why the transfer is read again under the lock: another worker may have gone further since.
    Locks: the intent, the refund; where it gives up, then its transfer.
    """
    intent = locked_intent(intent_id)
    refund = locked_refund(refund_id)
    transfer = refund.transfer
    if refund.status != R.PROCESSING or transfer is None or course_of(transfer) not in _OVER:
        return
    reason = transfer.failure or transfer.blocker
    wait = None if course_of(transfer) is Course.FAILED else DISPATCH_BACKOFF.wait_after(refund.attempts)
    if wait is not None:
        due = now() + wait
        apply_trigger(refund, "postpone", reason=reason, failure_reason=reason, retry_at=due, next_attempt_at=due)
    elif withdrawn(refund, WORKER):
        apply_trigger(refund, "fail", reason=reason, failure_reason=reason, next_attempt_at=None)
        note_returned(intent, returned_from(intent))
    else:  # it was signed just now, by another worker
        _look_again(refund_id, transfer)


def _look_again(refund_id: UUID, transfer: Transfer) -> None:
    """Why no planned attempt is touched: another worker may have planned it since. A wallet has none."""
    followed = ADDRESSED if transfer.rail == RailName.MERCHANT_WALLET else (R.PROCESSING,)
    sending = Refund.objects.filter(pk=refund_id, status__in=followed)
    sending.update(next_attempt_at=now() + poll_interval(transfer))
