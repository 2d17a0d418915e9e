"""The intent's side of refunding: what it received, whether it may be sent back, and what was sent back."""

from dataclasses import replace

from django.db.models import Q

from core.money import BaseUnits, UsdAmount
from payments.amounts import value_at_frozen_rate
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.services.balance import Sum, balance
from payments.services.rate import counted_in_all
from payments.services.schedule import schedule_next_look
from payments.services.settled import announce_movement
from payments.services.side_by_side import end_open_attempts
from payments.services.transition import WORKER, apply_trigger
from payments.services.underway import underway
from payments.states import FLYING_LEG, INTENT_MACHINE, IntentStatus

_PARTLY_FUNDED = (
    IntentStatus.PARTIALLY_FILLED,
    IntentStatus.EXPIRED,
    IntentStatus.FAILED,
    IntentStatus.CANCELLED,
)
"""Refundable where something arrived. Source: docs/guides/refunds.md, What can be refunded."""


def refuse_unrefundable(intent: PaymentIntent) -> None:
    """Refuse an intent of which nothing can be sent back now.

    Raises: IntentNotSettled. Locks: the caller holds the intent's lock.
    """
    if not is_refundable(intent):
        raise IntentNotSettled(intent.status)


def is_refundable(intent: PaymentIntent) -> bool:
    """Whether what it received may be sent back now: it is settled, or it holds a part and nothing is in flight.

    Why also a refunded one, of which something is left: money that came after the refund is not the merchant's.
    """
    if intent.status == IntentStatus.SETTLED:
        return True
    if intent.status == IntentStatus.REFUNDED:
        return intent.received_usd > intent.refunded_usd
    in_flight = intent.legs.filter(status__in=FLYING_LEG)
    return intent.status in _PARTLY_FUNDED and intent.received_usd > 0 and not in_flight.exists()


def may_be_sent_back(intent: PaymentIntent) -> bool:
    """Whether money may go back now: it stands for good, and nothing is moving.

    Locks: the caller holds the intent's lock.
    """
    return is_refundable(intent) and stands_for_good(intent)


def stands_for_good(intent: PaymentIntent) -> bool:
    """Whether all that leaves is covered by what is final on its chain and has not vanished: only then may it leave.

    Why not every credit: anybody can send dust, again and again, and would hold everything.
    Source: docs/guides/refunds.md; docs/guides/payouts.md.
    """
    counting = intent.credits.filter(purpose="settlement", reversed_at=None)
    doubtful = counting.filter(Q(finalized_at=None) | Q(vanished_at__isnull=False))
    rows = list(doubtful.values_list("base_units", "counted_base_units", "final_at"))
    if not rows:
        return True
    held, unsure = balance(intent), [(units, counted) for units, counted, final_at in rows if final_at is not None]
    sure = BaseUnits(held.received.units - sum(units for units, _ in unsure))
    counted = BaseUnits(held.counted - counted_in_all(unsure))
    received = Sum(usd=value_at_frozen_rate(intent, counted), units=sure)
    return sure > 0 and replace(held, received=received).covers_all


def record_refund(intent: PaymentIntent, amount_usd: UsdAmount) -> bool:
    """Count a refund that was paid; says whether the intent's status tells of it, as ``mark_refunded`` does.

    Locks: the caller holds the intent's lock.
    """
    intent.refunded_usd = UsdAmount(intent.refunded_usd + amount_usd)
    intent.save(update_fields=["refunded_usd"])
    announce_movement(intent)
    return mark_refunded(intent)


def mark_refunded(intent: PaymentIntent) -> bool:
    """Move an intent of which everything was sent back to ``refunded``; False where its status cannot move now.

    Why it may not: a payer can be topping up what was only partly filled. The caller asks again later.
    Locks: the caller holds the intent's lock.
    """
    if intent.refunded_usd < intent.received_usd or intent.status == IntentStatus.REFUNDED:
        return True
    if not INTENT_MACHINE.allows(intent.status, "refund"):
        return False
    end_open_attempts(underway(intent), "everything was refunded")
    apply_trigger(intent, "refund", actor=WORKER)
    schedule_next_look(intent)
    return True
