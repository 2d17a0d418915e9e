"""Doing what is due for payouts: claim rows by lease, take each as far as it will go, leave the rest to the clock."""

import logging
from datetime import timedelta

from django.db import transaction

from chains.transfers import advance_transfer
from core.clock import now
from core.leases import take_due, time_limit, work_through
from payouts.models import Payout
from payouts.services.at_settle import pay_out_settled
from payouts.services.conclude import conclude
from payouts.services.dispatch import Claim, begin

logger = logging.getLogger("causeway.payouts")

LEASE = timedelta(seconds=60)
"""Longer than asking a chain takes. Why it may run out all the same: what a late worker finds out then is dropped."""
BATCH = 50
SWEEP_SECONDS = 5
"""Why an end: something may always be due, and other work needs the same workers."""


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Pay out what settled, then advance what is due, for about so many seconds; returns how many payouts were due."""
    is_over = time_limit(seconds)
    pay_out_settled(is_over)
    return work_through(claim_due, _advance_safely, _give_back, is_over)


@transaction.atomic
def claim_due() -> list[Claim]:
    """Take a batch of due payouts for as long as the lease runs."""
    until = now() + LEASE
    return [Claim(payout_id=key, until=until) for key in take_due(Payout.objects.all(), most=BATCH, until=until)]


def advance_payout(claim: Claim) -> None:
    """Take one claimed payout a step on: say what is to be sent, have it sent, write down what became of it.

    Why three parts: chains are asked with no transaction open, and nothing is sent that was not written down before.
    """
    transfer_id = begin(claim)
    if transfer_id is not None:
        conclude(claim, advance_transfer(transfer_id))


def take_over_leases() -> None:
    """Make due now what another worker may have claimed. Only for one that knows itself to be alone."""
    claimed = Payout.objects.filter(next_attempt_at__gt=now(), next_attempt_at__lte=now() + LEASE, retry_at=None)
    claimed.update(next_attempt_at=now())


def _give_back(unseen: list[Claim]) -> None:
    for claim in unseen:
        Payout.objects.filter(pk=claim.payout_id, next_attempt_at=claim.until).update(next_attempt_at=now())


def _advance_safely(claim: Claim) -> None:
    """One payout's failure must not hold up the others; its lease brings it back."""
    try:
        advance_payout(claim)
    except Exception:
        logger.exception("could not advance payout %s", claim.payout_id)
