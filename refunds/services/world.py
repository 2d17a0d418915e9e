"""Moving one merchant's test world forward: when its refunds are looked at, not the times that are shown."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F

from core.modes import Mode
from refunds.models import Refund


@transaction.atomic
def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Bring every due time of the merchant's refunds forward. The simulated chain moves with the intents.

    Locks: the refunds, always in one order.
    """
    if mode != Mode.TEST:
        return
    waiting = Refund.objects.filter(merchant_id=merchant_id, mode=mode, next_attempt_at__isnull=False)
    list(waiting.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    waiting.update(next_attempt_at=F("next_attempt_at") - timedelta(seconds=seconds))
