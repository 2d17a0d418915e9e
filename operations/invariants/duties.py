"""I7: what is not over has a time at which it is looked at, and somebody looks when it has come."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q

from chains.models import Transfer
from core.clock import now
from core.dispatch import WORKERS
from core.heartbeats import came_back_since
from core.models import Heartbeat
from operations.invariants.paths import INTENT, PAYOUT, REFUND, TRANSFER
from operations.invariants.scope import Scope
from payments.models import PaymentIntent
from payments.services.expire import untouched
from payouts.models import Payout
from refunds.models import Refund
from webhooks.models import Delivery

LATEST = timedelta(seconds=120)
FRESH = timedelta(seconds=60)
WAITING: tuple[tuple[str, Any, frozenset[str], str], ...] = (
    ("intent", PaymentIntent, INTENT.waits, "queued__due_at"),
    ("refund", Refund, REFUND.waits, "next_attempt_at"),
    ("payout", Payout, PAYOUT.waits, "next_attempt_at"),
)
"""The last: when a worker comes back to it."""
UNPAID = ("created", "requires_payment", "quoted", "awaiting_signature")
OTHERS = {True: "over", False: "not over"}
RESTS = {"payout": frozenset({"paused"})}
"""In these its transfer may rest as well: nothing of it is signed, and it goes on when whatever holds it is over."""


def nothing_waits_for_nobody(scope: Scope) -> Iterator[str]:
    """I7: whatever a worker must come back to has a due time."""
    for name, model, waits, due in WAITING:
        stuck = scope.rows(model).filter(**{"status__in": waits, due: None})
        if model is PaymentIntent:  # whose time alone can end: a payer at most opened it, and many end at once by that
            stuck = stuck.filter(~untouched())
        for pk, status in stuck.values_list("pk", "status").iterator():
            yield f"I7 {name} {pk} is {status} and nobody will look at it"
    is_waiting = Q(status__in=INTENT.waits)
    wrong = Q(is_waiting, queued__is_over=True) | Q(~is_waiting, queued__is_over=False)
    misplaced = scope.rows(PaymentIntent).filter(wrong)
    for pk, status in misplaced.values_list("pk", "status").iterator():
        yield f"I7 intent {pk} is {status} and waits among those that are {OTHERS[status in INTENT.waits]}"


def no_transfer_is_an_orphan(scope: Scope) -> Iterator[str]:
    """I7: a transfer that is not over belongs to a refund or payout that is not over, which drives it.

    A paused payout may keep its transfer: what it waits for is the transfer's own.
    """
    living = scope.rows(Transfer).filter(status__in=TRANSFER.waits)
    for purpose, model, waits, _ in WAITING[1:]:
        drives = waits | RESTS.get(purpose, frozenset())
        owner = model._default_manager.filter(pk=OuterRef("purpose_id"), status__in=drives)
        orphans = living.filter(~Exists(owner), purpose=purpose)
        for pk, status in orphans.values_list("pk", "status").iterator():
            yield f"I7 transfer {pk} is {status}, and its {purpose} is over or does not exist"


def nothing_is_overdue(scope: Scope) -> Iterator[str]:
    """I7, its half that needs workers: nothing is due for longer than two minutes while they are alive.

    Those that were away have as long for what waited: an outage is named by readiness, and breaks nothing.
    """
    late = now() - LATEST
    if not Heartbeat.objects.filter(at__gte=now() - FRESH).exists() or came_back_since(late, WORKERS):
        return
    for name, model, waits, due in WAITING:
        overdue = scope.rows(model).filter(**{"status__in": waits, f"{due}__lt": late})
        for pk, since in overdue.values_list("pk", due).iterator():
            yield f"I7 {name} {pk} is due since {since:%Y-%m-%d %H:%M:%S} and nobody looked at it"
    ended = scope.rows(PaymentIntent).filter(queued=None, status__in=UNPAID, expires_due_at__lt=late)
    for pk, since in ended.values_list("pk", "expires_due_at").iterator():
        yield f"I7 intent {pk} is over since {since:%Y-%m-%d %H:%M:%S} and nobody ended it"
    is_free = Q(leased_until=None) | Q(leased_until__lt=late)
    held = scope.rows(Delivery).filter(is_free, outcome="due", next_attempt_at__lt=late)
    # Not those that wait for their receiver: a slow one gets no more at once, one that nothing signs for rests.
    held = held.filter(endpoint__places=None).exclude(endpoint__rests_until__gte=late)
    for pk, since in held.values_list("pk", "next_attempt_at").iterator():
        yield f"I7 delivery {pk} is due since {since:%Y-%m-%d %H:%M:%S} and nobody sent it"
