"""Sending late money back by itself, for merchants who want that: finds it and calls the same ``create_refund``."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from core.clock import now
from core.errors import ServiceError
from core.modes import Mode
from core.money import UsdAmount
from merchants.principal import Principal
from payments.models import Credit, LatePolicy, PaymentIntent, PaymentPolicy
from payments.states import IntentStatus
from refunds.models import Refund
from refunds.services.create import NewRefund, create_refund, refund_made_before
from refunds.states import RELEASED

logger = logging.getLogger("causeway.refunds")

ACTOR = "policy:late"
REASON = "Arrived after the payment had expired."
LOOKED_BACK = timedelta(days=3)
"""Longer than ended intents are watched for late money; a row of older news is left to people."""
BATCH = 100


def send_late_money_back() -> int:
    """Create the refunds of late money that has none yet; returns how many."""
    wanting = PaymentPolicy.objects.filter(late=LatePolicy.REFUND, late_since__isnull=False)
    return sum(_refund_one(policy, intent) for policy in wanting for intent in _paid_late(policy))


def _paid_late(policy: PaymentPolicy) -> Iterator[PaymentIntent]:
    """Intents that ended, got final money late since the policy was set, and of which something is not sent back."""
    since: datetime = max(policy.late_since or now(), now() - LOOKED_BACK)
    mine = Q(merchant_id=policy.merchant_id, mode=policy.mode)
    late = Credit.objects.filter(
        mine, late=True, observed_at__gte=since, purpose="settlement", reversed_at=None, final_at__isnull=False
    )
    refunds = Refund.objects.filter(intent_id=OuterRef("pk")).exclude(status__in=RELEASED)
    ended = PaymentIntent.objects.filter(
        mine,
        pk__in=late.values("intent_id"),
        status__in=[IntentStatus.EXPIRED, IntentStatus.CANCELLED],
        received_usd__gt=0,
    )
    return iter(ended.filter(~Exists(refunds)).order_by("pk")[:BATCH])


def _refund_one(policy: PaymentPolicy, intent: PaymentIntent) -> int:
    """One if a refund was created. What is refused, or asks for a person, is left to the merchant."""
    principal = Principal(merchant_id=policy.merchant_id, mode=Mode(policy.mode), actor=ACTOR)
    key = f"late:{intent.pk}"
    wish = NewRefund(
        intent_id=intent.pk,
        amount_usd=UsdAmount(intent.received_usd),
        reason=REASON,
        idempotency_key=key,
    )
    try:
        if refund_made_before(principal, wish) is not None:
            return 0  # it failed or was cancelled: a person decides
        create_refund(principal, wish)
    except ServiceError as refusal:
        logger.warning("late money of intent %s is not sent back by itself: %s", intent.pk, refusal.code)
        return 0
    except Exception:
        logger.exception("could not send back the late money of intent %s", intent.pk)
        return 0
    return 1
