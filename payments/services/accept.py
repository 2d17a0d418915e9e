"""Accepting what arrived of a partly paid intent as enough."""

from uuid import UUID

from django.db import transaction

from core.errors import NotFound
from merchants.principal import Principal
from payments.errors import IntentNotAcceptable, Unacceptable
from payments.models import PaymentIntent
from payments.services.balance import balance
from payments.services.credits import unsettled_credits_exist
from payments.services.outcome import settle_as_accepted
from payments.services.schedule import schedule_next_look
from payments.services.transition import locked_intent
from payments.states import FLYING_LEG, INTENT_MACHINE


@transaction.atomic
def accept_partial(principal: Principal, intent_id: UUID) -> PaymentIntent:
    """Settle an intent of the principal with what arrived and stays.

    Raises: NotFound; IntentNotAcceptable where nothing stays, or more is on its way.
    Locks: the intent, so a signature already recorded wins.
    """
    if not PaymentIntent.objects.visible_to(principal).filter(pk=intent_id).exists():
        raise NotFound("payment_intent")
    intent = locked_intent(intent_id)
    if reason := why_not_acceptable(intent):
        raise IntentNotAcceptable(intent.status, reason)
    settle_as_accepted(intent, actor=principal.actor)
    schedule_next_look(intent)
    return intent


def why_not_acceptable(intent: PaymentIntent) -> Unacceptable | None:
    """Why what arrived cannot be accepted now; None where it can. Locks: the intent's, where one decides by it."""
    if not INTENT_MACHINE.allows(intent.status, "accept_partial"):
        return Unacceptable.NOT_PARTIALLY_FILLED
    if intent.legs.filter(status__in=FLYING_LEG).exists() or unsettled_credits_exist(intent):
        return Unacceptable.ON_ITS_WAY
    kept = balance(intent).kept
    return None if kept.usd > 0 and kept.units > 0 else Unacceptable.NOTHING_KEPT
