"""Payouts' part of the test clock."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F

from core.modes import Mode
from payouts.models import Payout


@transaction.atomic
def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Bring every due time of the merchant's payouts forward; the time of the next attempt that is shown stays.

    Locks: the payouts, always in one order. Why not the simulated chain: payments moves that.
    """
    if mode != Mode.TEST:
        return
    waiting = Payout.objects.filter(merchant_id=merchant_id, mode=mode, next_attempt_at__isnull=False)
    list(waiting.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    waiting.update(next_attempt_at=F("next_attempt_at") - timedelta(seconds=seconds))
