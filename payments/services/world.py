"""Moving one merchant's test world forward in time. Shown times stay; only what the service acts on moves."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q

from chains.clients.simulated import SimulatedChain
from core.modes import Mode
from payments.models import Hint, Leg, PaymentAttempt, PaymentIntent
from payments.services.queue import look_now_at_all_of
from payments.services.simulated_payer import owner_of
from payments.states import OPEN_ATTEMPT, UNPAID, LegStatus


@transaction.atomic
def shift_due(merchant_id: int, mode: str, seconds: int) -> None:
    """Bring every due time of the merchant's intents forward, and the simulated chain with them.

    Locks: the intents first, always in one order, like every writer of what belongs to an intent.
    """
    if mode != Mode.TEST:
        return
    by = timedelta(seconds=seconds)
    mine = {"merchant_id": merchant_id, "mode": mode}
    waiting = PaymentIntent.objects.filter(Q(status__in=UNPAID) | Q(queued__isnull=False), **mine).order_by("pk")
    held = list(waiting.select_for_update(of=("self",)).values_list("pk", flat=True))
    SimulatedChain().shift(owner_of(merchant_id), seconds)
    PaymentAttempt.objects.filter(**mine, status__in=OPEN_ATTEMPT).update(
        lapses_at=F("lapses_at") - by, signature_due_at=F("signature_due_at") - by
    )
    Leg.objects.filter(**mine, status=LegStatus.AWAITING_SIGNATURE).update(submitted_at=F("submitted_at") - by)
    reported = Hint.objects.filter(leg__merchant_id=merchant_id, leg__mode=mode, verdict="")
    reported.update(reported_at=F("reported_at") - by)
    PaymentIntent.objects.filter(pk__in=held).update(expires_due_at=F("expires_due_at") - by)
    look_now_at_all_of(merchant_id, mode)
