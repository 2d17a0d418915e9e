"""Doing what is due for refunds: each taken as far as it will go, and the rest left to the clock."""

from datetime import timedelta
from uuid import UUID

from django.db.models import F, Q

from chains.transfers import advance_transfer
from core.leases import take_due, time_limit
from core.sweeps import Sweep
from refunds.models import Refund
from refunds.services.dispatch import awaits_wallet, order_transfer
from refunds.services.holds import hold_refund
from refunds.services.outcome import conclude, tell_intent
from refunds.states import R

BATCH = 20
SWEEP_SECONDS = 5
"""Why an end: payments and payouts need the same workers."""


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Advance what is due, batch by batch, for about so many seconds; returns how many refunds."""
    return SWEEP.run(time_limit(seconds))


def advance_refund(refund_id: UUID) -> None:
    """Take one step for a claimed refund: order, send or look with no transaction open, then write what it means.

    Safe to repeat at any point, by any number of workers.
    """
    refund = Refund.objects.get(pk=refund_id)
    if refund.status == R.PAID:
        tell_intent(refund.intent_id, refund_id)
        return
    is_sent = refund.status == R.PROCESSING
    if is_sent and hold_refund(refund_id):
        return
    ordered = refund.transfer if is_sent else order_transfer(refund.intent_id, refund_id)
    if ordered is None:
        return
    transfer = advance_transfer(ordered.pk)
    if not is_sent and awaits_wallet(ordered) and not awaits_wallet(transfer):
        order_transfer(refund.intent_id, refund_id)
    conclude(refund.intent_id, refund_id, transfer)


SWEEP = Sweep[UUID](
    model=Refund,
    take=lambda until: take_due(Refund.objects.all(), most=BATCH, until=until),
    advance=lambda claim: advance_refund(claim.key),
    lease=timedelta(seconds=45),  # no wait of the schedule: a claimed row must not look as if its next try were planned
    planned=Q(next_attempt_at=F("retry_at")),
)
