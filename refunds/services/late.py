"""Sending late money back by itself, for merchants who want that: each late payment once, to who sent it."""

import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from core.clock import now
from core.errors import ServiceError
from core.ids import derived_id
from core.locks import Turn
from core.modes import Mode
from core.money import BaseUnits, UsdAmount, usd_from_micros, usd_to_micros
from merchants.principal import Principal
from payments.models import Credit, LatePolicy, PaymentIntent, PaymentPolicy
from payments.services.balance import balance
from payments.services.refund import refuse_unrefundable
from payments.services.transition import locked_intent
from payments.states import IntentStatus
from refunds.models import Refund
from refunds.services.create import TO_PAYER, begin_refund, by_policy, unsaved_refund
from refunds.services.repay import SMALLEST_REPAID
from refunds.shares import share_of

logger = logging.getLogger("causeway.refunds")

ACTOR = "policy:late"
REASON = "Arrived after the payment had expired."
LOOKED_BACK = timedelta(days=3)
"""Longer than ended intents are watched for late money; a row of older news is left to people."""
BATCH = 100
POLICIES = 500
"""Merchants looked at by one sweep: one step into the index of late money each."""
_last = [0]
"""The policy after which the next sweep of this process begins."""
_ENDED = (IntentStatus.EXPIRED, IntentStatus.CANCELLED, IntentStatus.REFUNDED)


def send_late_money_back() -> int:
    """Create the refunds of late payments that have none yet; returns how many. None while others do it."""
    turn = Turn("refunds.late")
    if not turn.take():
        return 0
    try:
        return sum(
            _refund_one(policy, credit)
            for policy in _owing()
            for credit in _owed(policy.merchant_id, policy.mode, policy.late_since).order_by("pk")[:BATCH]
        )
    finally:
        turn.give_up()


def _owing() -> list[PaymentPolicy]:
    """The next merchants in turn, as many as one sweep looks at, of which some late payment has no refund yet."""
    wanting = PaymentPolicy.objects.filter(late=LatePolicy.REFUND, late_since__isnull=False).order_by("pk")
    page = list(wanting.filter(pk__gt=_last[0]).values_list("pk", flat=True)[:POLICIES])
    _last[0] = page[-1] if len(page) == POLICIES else 0
    if not page:
        return []
    owed = _owed(OuterRef("merchant_id"), OuterRef("mode"), OuterRef("late_since"))
    return list(wanting.filter(Exists(owed), pk__in=page))


def _owed(merchant_id: Any, mode: Any, since: Any) -> "QuerySet[Credit]":
    """Final late payments of intents that ended, since the policy was set, without a refund of their own.

    Why also one that was cancelled or failed: then a person decides.
    """
    late = Credit.objects.filter(
        merchant_id=merchant_id,
        mode=mode,
        late=True,
        observed_at__gte=since,
        value_usd__gte=SMALLEST_REPAID,
        purpose="settlement",
        reversed_at=None,
        vanished_at=None,
        final_at__isnull=False,
    ).filter(observed_at__gte=now() - LOOKED_BACK)
    own = Refund.objects.filter(credit_id=OuterRef("pk"))
    owed = late.filter(intent__status__in=_ENDED, intent__received_usd__gt=F("intent__refunded_usd"))
    return owed.filter(~Exists(own))


def _refund_one(policy: PaymentPolicy, credit: Credit) -> int:
    """One if a refund was created. What is refused, or asks for a person, is left to the merchant."""
    principal = Principal(merchant_id=policy.merchant_id, mode=Mode(policy.mode), actor=ACTOR)
    try:
        return int(return_late_credit(principal, credit) is not None)
    except ServiceError as refusal:
        logger.warning("late money of intent %s is not sent back by itself: %s", credit.intent_id, refusal.code)
    except Exception:
        logger.exception("could not send back the late money of intent %s", credit.intent_id)
    return 0


@transaction.atomic
def return_late_credit(principal: Principal, credit: Credit) -> Refund | None:
    """Create the one refund of a late payment: to its payer where that is proven, else it waits for an address.

    None where nothing of it is left, it has its refund, or it counts for another intent by now.
    Raises: IntentNotSettled. Locks: the intent.
    """
    assert credit.intent_id is not None  # noqa: S101 - the caller asked for credits of intents
    intent = locked_intent(credit.intent_id)
    refuse_unrefundable(intent)
    credit = Credit.objects.get(pk=credit.pk)
    is_gone = credit.reversed_at is not None or credit.vanished_at is not None or credit.final_at is None
    if is_gone or credit.intent_id != intent.pk or Refund.objects.filter(credit=credit).exists():
        return None
    units, dollars = _left_of(intent, credit)
    if dollars < SMALLEST_REPAID:
        return None
    refund = unsaved_refund(principal, intent, dollars, units, reason=REASON)
    event = (credit.network, credit.chain, credit.tx_hash, credit.kind, credit.position)
    refund.id = derived_id("refund", intent.pk, *event)  # with the intent's, as what a chain shows anybody can compute
    refund.credit = credit
    begin_refund(refund, by_policy(intent, refund), reason=TO_PAYER)
    return refund


def _left_of(intent: PaymentIntent, credit: Credit) -> tuple[BaseUnits, UsdAmount]:
    """What can go back of a payment: at most what is left of the intent, and what its payer did not get back yet.

    The dollars are its value's part, cut down; the refund that takes the last unit takes the last dollars.
    """
    left = balance(intent).available
    share = share_of(intent.pk, credit.payer) if credit.payer else None
    units = BaseUnits(max(min(credit.base_units, left.units, *([share.unreturned_units] if share else [])), 0))
    dollars = usd_from_micros(usd_to_micros(credit.value_usd) * units // credit.base_units)
    return units, left.usd if units == left.units else UsdAmount(min(dollars, left.usd))
