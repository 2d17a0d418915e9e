"""Cancelling an intent that nobody has paid."""

from uuid import UUID

from django.db import transaction

from core.clock import now
from core.errors import NotFound
from merchants.principal import Principal
from payments.errors import IntentNotCancellable
from payments.models import PaymentIntent
from payments.services.attempts import end_open_attempt
from payments.services.schedule import schedule_next_look
from payments.services.transition import apply_trigger, locked_intent
from payments.states import INTENT_MACHINE


@transaction.atomic
def cancel_intent(principal: Principal, intent_id: UUID) -> PaymentIntent:
    """Cancel an intent of the principal.

    Raises: NotFound; IntentNotCancellable once a payment is on its way or anything was received.
    Locks: the intent, so a signature already recorded wins.
    """
    if not PaymentIntent.objects.visible_to(principal).filter(pk=intent_id).exists():
        raise NotFound("payment_intent")
    intent = locked_intent(intent_id)
    if intent.received_usd > 0 or not INTENT_MACHINE.allows(intent.status, "cancel"):
        raise IntentNotCancellable(intent.status)
    end_open_attempt(intent, "cancelled by the merchant")
    apply_trigger(intent, "cancel", actor=principal.actor, cancelled_at=now())
    schedule_next_look(intent)
    return intent
