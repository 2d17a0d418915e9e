"""Paying out at settle, for merchants who want that: finds what settled and calls the same ``create_payout``."""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest

from core.clock import now
from core.errors import ServiceError
from core.modes import Mode
from merchants.principal import Principal
from payments.models import PaymentIntent
from payments.states import IntentStatus
from payouts.models import Payout, PayoutPolicy
from payouts.services.create import create_payout

logger = logging.getLogger("causeway.payouts")

ACTOR = "policy:at_settle"
OVERLAP = timedelta(seconds=60)
"""Looked at again. Why: a transaction may commit later than another one that says a later time."""
LAG = timedelta(seconds=10)
"""How far the cursor lies behind where much happens. Why behind: as above, and the overlap is looked at anyway."""
BATCH = 100
RESTING = timedelta(minutes=5)
"""How far the cursor may lie behind where nothing happens. Why not always moved: it would be a write each second."""
STUCK_FOR = timedelta(hours=1)
"""How long an intent that a fault of ours keeps from being paid out is tried again; then the cursor passes it."""


def pay_out_settled(is_over: Callable[[], bool]) -> int:
    """Create the payouts of newly settled intents, until its time is over; returns how many."""
    started, created = now(), 0
    policies = list(_policies_with_news())
    # The cursors of those without news move along, so that what must be looked through stays short.
    old = PayoutPolicy.objects.filter(at_settle_since__isnull=False, swept_until__lt=started - RESTING)
    resting = old.exclude(pk__in=[policy.pk for policy in policies])
    if resting.exists():  # why asked first: on SQLite every write waits for every other, also one that changes nothing
        resting.update(swept_until=started)
    for policy in policies:
        created += _pay_out(policy, started, is_over)
        if is_over():
            break
    return created


def _policies_with_news() -> QuerySet[PayoutPolicy]:
    """Those of whose intents one settled since the cursor: one statement, one step into an index per policy.

    Why it may be one that has its payout: asked for those without, PostgreSQL would join all intents with all payouts.
    """
    settled = PaymentIntent.objects.filter(
        merchant_id=OuterRef("merchant_id"), mode=OuterRef("mode"), settled_at__isnull=False
    )
    last = Subquery(settled.order_by("-settled_at").values("settled_at")[:1])
    wanted = PayoutPolicy.objects.filter(at_settle_since__isnull=False).annotate(last_settled_at=last)
    return wanted.filter(last_settled_at__gte=Greatest(F("swept_until") - OVERLAP, F("at_settle_since")))


def _pay_out(policy: PayoutPolicy, started: datetime, is_over: Callable[[], bool]) -> int:
    """Go through what settled since the cursor; it then lies where this stopped, and never goes back."""
    created, reached = 0, started
    stuck: list[datetime] = []
    for intent in _settled(policy):
        try:
            created += _pay_out_one(policy, intent)
        except Exception:
            logger.exception("could not pay out intent %s at settle", intent.pk)
            settled_at = intent.settled_at or started
            stuck += [settled_at] if started - settled_at < STUCK_FOR else []
        if is_over():
            reached = intent.settled_at or started
            break
    cursor = min([reached, *stuck])
    mine = PayoutPolicy.objects.filter(pk=policy.pk, at_settle_since=policy.at_settle_since)
    mine.filter(swept_until__lt=cursor - LAG).update(swept_until=cursor)
    return created


def _pay_out_one(policy: PayoutPolicy, intent: PaymentIntent) -> int:
    """One if a payout was created. What is refused is left to the merchant."""
    principal = Principal(merchant_id=policy.merchant_id, mode=Mode(policy.mode), actor=ACTOR)
    try:
        create_payout(principal, intent.pk, "")
    except ServiceError as refusal:
        logger.warning("intent %s is not paid out at settle: %s", intent.pk, refusal.code)
        return 0
    return 1


def _settled(policy: PayoutPolicy) -> Iterator[PaymentIntent]:
    """What settled since the cursor and has no payout, oldest first, page by page."""
    if policy.swept_until is None or policy.at_settle_since is None:
        return
    since = max(policy.swept_until - OVERLAP, policy.at_settle_since)
    without = ~Exists(Payout.objects.filter(intent_id=OuterRef("pk")))
    theirs = PaymentIntent.objects.filter(merchant_id=policy.merchant_id, mode=policy.mode, settled_at__gte=since)
    mine = theirs.filter(without, status=IntentStatus.SETTLED)
    after = Q()
    while page := list(mine.filter(after).order_by("settled_at", "pk").only("pk", "settled_at")[:BATCH]):
        yield from page
        last = page[-1]
        farther = Q(settled_at__gt=last.settled_at) | Q(settled_at=last.settled_at, pk__gt=last.pk)
        after = Q(settled_at__gte=last.settled_at) & farther
