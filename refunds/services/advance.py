"""Doing what is due for refunds: claim rows by lease, take each as far as it will go, leave the rest to the clock."""

import logging
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F

from chains.transfers import advance_transfer
from core.clock import now
from core.leases import give_back, take_due, time_limit, work_through
from refunds.models import Refund
from refunds.services.dispatch import awaits_wallet, order_transfer
from refunds.services.holds import hold_refund
from refunds.services.outcome import conclude, tell_intent
from refunds.states import R

logger = logging.getLogger("causeway.refunds")

LEASE = timedelta(seconds=45)
"""Why no wait of the schedule: a claimed row must not look as if its next attempt were planned."""
BATCH = 20
SWEEP_SECONDS = 5
"""Why an end: payments and payouts need the same workers."""


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Advance what is due, batch by batch, for about so many seconds; returns how many refunds."""
    return work_through(claim_due, _advance_safely, _give_back, time_limit(seconds))


@transaction.atomic
def claim_due() -> list[UUID]:
    """Take a batch of due refunds for as long as the lease runs."""
    return take_due(Refund.objects.all(), most=BATCH, until=now() + LEASE)


def take_over_leases() -> None:
    """Make due now what another worker may have claimed. Only for one that knows itself to be alone."""
    claimed = Refund.objects.filter(next_attempt_at__gt=now(), next_attempt_at__lte=now() + LEASE)
    claimed.exclude(next_attempt_at=F("retry_at")).update(next_attempt_at=now())


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


def _give_back(unseen: list[UUID]) -> None:
    give_back(Refund.objects.filter(pk__in=unseen))


def _advance_safely(refund_id: UUID) -> None:
    """One refund's failure must not hold up the others; its lease brings it back."""
    try:
        advance_refund(refund_id)
    except Exception:
        logger.exception("could not advance refund %s", refund_id)
