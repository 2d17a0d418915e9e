"""Doing what is due for payouts: each taken as far as it will go, and the rest left to the clock."""

from datetime import timedelta
from uuid import UUID

from django.db.models import F, Q

from chains.transfers import advance_transfer
from core.leases import take_due, time_limit
from core.sweeps import Claim, Sweep
from payouts.models import Payout
from payouts.services.at_settle import pay_out_settled
from payouts.services.conclude import conclude
from payouts.services.dispatch import begin

LEASE = timedelta(seconds=60)
"""Longer than asking a chain takes. Why it may run out all the same: what a late worker finds out then is dropped."""
BATCH = 50
SWEEP_SECONDS = 5
"""Why an end: something may always be due, and other work needs the same workers."""


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Pay out what settled, then advance what is due, for about so many seconds; returns how many payouts were due."""
    is_over = time_limit(seconds)
    pay_out_settled(is_over)
    return SWEEP.run(is_over)


def advance_payout(claim: Claim[UUID]) -> None:
    """Take one claimed payout a step on: say what is to be sent, have it sent, write down what became of it.

    Why three parts: chains are asked with no transaction open, and nothing is sent that was not written down before.
    """
    transfer_id = begin(claim)
    if transfer_id is not None:
        conclude(claim, advance_transfer(transfer_id))


SWEEP = Sweep[UUID](
    model=Payout,
    take=lambda until: take_due(Payout.objects.all(), most=BATCH, until=until),
    advance=advance_payout,
    lease=LEASE,
    planned=Q(next_attempt_at=F("retry_at")),
)
