"""Receipts of what settled before there were any: a bounded number of payments a turn, from where the last one ended.

Gone through twice, the second time when no program of the release before runs any more: those ask for no seal.
Source: docs/adr/0120.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from core.clock import now
from core.leases import time_limit
from payments.models import PaymentIntent
from records.models import AwaitedSeal, SealBacklog
from records.services import PAID

AT_ONCE: Final = 200
"""Payments that are read together."""
MOST_WAITING: Final = 500
"""Seals that are asked for and not made yet. Why no more: what settles now is behind them, and waits for seconds."""
A_WHILE_SECONDS: Final = 5
PASSES: Final = 2
OLD_PROGRAMS_END: Final = timedelta(hours=1)
"""How long after the first pass began programs of the release before may still settle."""


def seal_backlog() -> bool:
    """Ask for some of the seals that are missing; whether all were asked for, so that calling again does nothing."""
    backlog = SealBacklog.objects.order_by("pk").first() or SealBacklog.objects.create()
    is_over = time_limit(A_WHILE_SECONDS)
    room = MOST_WAITING - AwaitedSeal.objects.filter(next_attempt_at__lte=now()).count()
    while backlog.finished_at is None and room > 0 and not is_over():
        if backlog.passes > 0 and now() < backlog.began_at + OLD_PROGRAMS_END:
            break
        after = PaymentIntent.objects.filter(pk__gt=backlog.after).order_by("pk")
        keys = list(after.values_list("pk", flat=True)[:AT_ONCE])
        paid = PaymentIntent.objects.filter(pk__in=keys, status__in=PAID, settled_at__isnull=False)
        missing = list(paid.filter(seals=None, awaited_seal=None).order_by("pk").values_list("pk", flat=True))
        AwaitedSeal.objects.bulk_create(
            [AwaitedSeal(intent_id=one, next_attempt_at=now()) for one in missing], ignore_conflicts=True
        )
        room -= len(missing)
        if keys:
            backlog.after = keys[-1]
        else:
            _end_pass(backlog)
        backlog.save()
    return backlog.finished_at is not None


def forget_backlog() -> None:
    """Have all payments gone through again, when this release comes back: the one before asks for no seal."""
    SealBacklog.objects.all().delete()


def _end_pass(backlog: SealBacklog) -> None:
    """Why no second pass where nothing is older: no program of before ever wrote there."""
    backlog.passes, backlog.after = backlog.passes + 1, UUID(int=0)
    is_new = not PaymentIntent.objects.filter(created_at__lt=backlog.began_at).exists()
    if is_new or backlog.passes >= PASSES:
        backlog.finished_at = now()
