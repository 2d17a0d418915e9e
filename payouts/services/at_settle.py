"""Paying out at settle, for merchants who want that: finds what settled and calls the same ``create_payout``.

The policy is the queue. A settlement makes its merchant's due, in its own transaction; whoever looks has it by lease.
"""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.clock import now
from core.errors import ServiceError
from core.leases import take_due
from core.modes import Mode
from core.sweeps import Claim, Sweep
from merchants.principal import Principal
from payments.models import PaymentIntent
from payments.states import IntentStatus
from payouts.models import Payout, PayoutPolicy
from payouts.services.create import create_payout

logger = logging.getLogger("causeway.payouts")

ACTOR = "policy:at_settle"
OVERLAP = timedelta(seconds=60)
"""Looked at again. Why: a transaction may commit later than another one that says a later time."""
BATCH = 100
"""Payouts made by one look, and intents read at once. Why so few: then it is the next merchant's turn."""
POLICIES = 20
"""Claimed at once; also how many a sweep makes due of those that rested."""
LEASE = timedelta(seconds=60)
RESTING = timedelta(minutes=5)
"""After which also a merchant is looked at of whom nothing was heard. Why: workers of before said nothing."""
AFTERWARDS = timedelta(seconds=30)
"""The same where something settled of late. Why: of two settlements at once the second finds its merchant due already,
and on PostgreSQL may commit when that look is over.
"""
STUCK = timedelta(seconds=5)
"""The same where a payout could not be made."""
STUCK_FOR = timedelta(hours=1)
"""How long an intent that a fault of ours keeps from being paid out is tried again; then the cursor passes it."""


def look_soon(intent: PaymentIntent) -> None:
    """Make a look at its merchant due, as part of its settlement. Why only where none is: else all wait for one row."""
    resting = PayoutPolicy.objects.filter(merchant_id=intent.merchant_id, mode=intent.mode, look_at=None)
    resting.filter(at_settle_since__isnull=False).update(look_at=now())


def pay_out_settled(is_over: Callable[[], bool]) -> int:
    """Create the payouts of newly settled intents, for so long; returns how many merchants were looked at."""
    _wake_the_rested()
    return SWEEP.run(is_over)


def _wake_the_rested() -> None:
    """Make due a few that nobody looked at for long. So cursors move along, and what is looked through stays short."""
    rested = PayoutPolicy.objects.filter(look_at=None, again_at__lte=now())
    keys = list(rested.order_by("again_at", "pk").values_list("pk", flat=True)[:POLICIES])
    if not keys:  # why asked first: on SQLite every write waits for every other, also one that changes nothing
        return
    with transaction.atomic():
        mine = rested.filter(pk__in=keys).select_for_update(skip_locked=True).values_list("pk", flat=True)
        PayoutPolicy.objects.filter(pk__in=list(mine)).update(look_at=now())


def _look(claim: Claim[int]) -> None:
    """Pay out what settled since the cursor, for one merchant; it then lies where this stopped, and never goes back."""
    claimed = PayoutPolicy.objects.filter(pk=claim.key, look_at=claim.until)
    claimed.filter(at_settle_since=None).update(look_at=None, again_at=None)
    mine = claimed.filter(at_settle_since__isnull=False)
    policy = mine.first()
    if policy is None:
        return
    started = now()
    reached, stuck, left = _pay_out(policy, started)
    rest = STUCK if stuck else AFTERWARDS if _theirs(policy, started - OVERLAP).exists() else RESTING
    mine.update(
        look_at=now() if reached < started else None,
        again_at=now() + rest,
        swept_until=max(min([reached, *stuck]), policy.swept_until or started),
    )
    # Why asked now: what settled while this looked found the merchant claimed, and made nobody due.
    if reached == started and _unpaid(policy).count() > left:
        PayoutPolicy.objects.filter(pk=policy.pk, look_at=None).update(look_at=now())


def _pay_out(policy: PayoutPolicy, started: datetime) -> tuple[datetime, list[datetime], int]:
    """Until when everything was gone through; when those settled that a fault of ours kept back, for an hour; and how
    many were left without a payout.
    """
    created, gone_through, stuck = 0, 0, list[datetime]()
    for intent in _settled(policy):
        settled_at, gone_through = intent.settled_at or started, gone_through + 1
        try:
            created += _pay_out_one(policy, intent)
        except Exception:
            logger.exception("could not pay out intent %s at settle", intent.pk)
            stuck += [settled_at] if started - settled_at < STUCK_FOR else []
        if created >= BATCH:
            return min(settled_at, started - timedelta(microseconds=1)), stuck, gone_through - created
    return started, stuck, gone_through - created


def _pay_out_one(policy: PayoutPolicy, intent: PaymentIntent) -> int:
    """One if a payout was created. What is refused is left to the merchant."""
    principal = Principal(merchant_id=policy.merchant_id, mode=Mode(policy.mode), actor=ACTOR)
    try:
        create_payout(principal, intent.pk, "")
    except ServiceError as refusal:
        logger.warning("intent %s is not paid out at settle: %s", intent.pk, refusal.code)
        return 0
    return 1


def _theirs(policy: PayoutPolicy, since: datetime) -> "QuerySet[PaymentIntent]":
    return PaymentIntent.objects.filter(merchant_id=policy.merchant_id, mode=policy.mode, settled_at__gte=since)


def _unpaid(policy: PayoutPolicy) -> "QuerySet[PaymentIntent]":
    """What settled since the cursor and has no payout."""
    if policy.swept_until is None or policy.at_settle_since is None:
        return PaymentIntent.objects.none()
    since = max(policy.swept_until - OVERLAP, policy.at_settle_since)
    without = ~Exists(Payout.objects.filter(intent_id=OuterRef("pk")))
    return _theirs(policy, since).filter(without, status=IntentStatus.SETTLED)


def _settled(policy: PayoutPolicy) -> Iterator[PaymentIntent]:
    """The same one by one, oldest first, page by page."""
    mine, after = _unpaid(policy), Q()
    while page := list(mine.filter(after).order_by("settled_at", "pk").only("pk", "settled_at")[:BATCH]):
        yield from page
        last = page[-1]
        farther = Q(settled_at__gt=last.settled_at) | Q(settled_at=last.settled_at, pk__gt=last.pk)
        after = Q(settled_at__gte=last.settled_at) & farther


SWEEP = Sweep[int](
    model=PayoutPolicy,
    take=lambda until: take_due(PayoutPolicy.objects.all(), most=POLICIES, until=until, column="look_at"),
    advance=_look,
    lease=LEASE,
    column="look_at",
)
