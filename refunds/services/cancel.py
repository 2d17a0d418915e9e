"""Cancelling a refund of which nothing was signed."""

from django.db import transaction

from chains.transfers import withdraw_transfer
from core.pauses import quiet_since
from merchants.principal import Principal
from payments.services.balance import note_returned
from payments.services.transition import locked_intent
from refunds.errors import RefundNotCancellable
from refunds.models import Refund
from refunds.selectors import returned_from
from refunds.services.transition import apply_trigger, locked_own_refund
from refunds.states import RECORD_STATUS, REFUND_MACHINE, R


@transaction.atomic
def cancel_refund(principal: Principal, refund: Refund) -> Refund:
    """Cancel a refund of the principal, which releases what it held of the balance; the refund as it is then.

    Raises: NotFound; RefundNotCancellable once it is over, or something was signed that may land.
    Locks: the intent, the refund, then its transfer, so that a worker that signs now wins.
    """
    intent = locked_intent(refund.intent_id)
    held = locked_own_refund(principal, refund.pk)
    if not REFUND_MACHINE.allows(held.status, "cancel") or not withdrawn(held, principal.actor):
        raise RefundNotCancellable(RECORD_STATUS[R(held.status)], is_over=held.status in REFUND_MACHINE.terminal)
    apply_trigger(held, "cancel", actor=principal.actor, failure_reason="", retry_at=None, next_attempt_at=None)
    note_returned(intent, returned_from(intent))
    return held


def withdrawn(refund: Refund, actor: str) -> bool:
    """Whether provably nothing will ever be sent for it. Locks: the caller holds the refund's lock.

    Why not of a database that was put back, before it was let go: it may have forgotten that this one was sent.
    """
    if refund.transfer_id is None:
        return not (refund.destination and quiet_since())
    return withdraw_transfer(refund.transfer_id, actor=actor)
