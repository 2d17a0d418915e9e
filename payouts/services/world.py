"""Payouts' part of the test clock."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q

from core.clock import now
from core.modes import Mode
from payouts.models import Payout
from payouts.states import PayoutStatus

PLANNED = Q(status=PayoutStatus.RETRY_SCHEDULED)


@transaction.atomic
def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Bring planned attempts of the merchant's payouts forward, and look at all others now; what is shown stays.

    Why now: what a worker has claimed is no more its own once its time is moved, and would wait for the lease's end.
    Locks: the payouts, always in one order. Why not the simulated chain: payments moves that.
    """
    if mode != Mode.TEST:
        return
    waiting = Payout.objects.filter(merchant_id=merchant_id, mode=mode, next_attempt_at__isnull=False)
    list(waiting.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    waiting.filter(PLANNED).update(next_attempt_at=F("next_attempt_at") - timedelta(seconds=seconds))
    waiting.exclude(PLANNED).filter(next_attempt_at__gt=now()).update(next_attempt_at=now())
