"""Cancelling an intent that nobody has paid."""

from uuid import UUID

from django.db import transaction

from core.clock import now
from core.errors import NotFound
from merchants.principal import Principal
from payments.amounts import is_dust
from payments.errors import IntentNotCancellable
from payments.models import PaymentIntent
from payments.services.schedule import schedule_next_look
from payments.services.side_by_side import end_open_attempts
from payments.services.transition import apply_trigger, locked_intent
from payments.services.underway import underway
from payments.states import INTENT_MACHINE


@transaction.atomic
def cancel_intent(principal: Principal, intent_id: UUID) -> PaymentIntent:
    """Cancel an intent of the principal.

    Dust that strangers sent stops nothing; it can be sent back afterwards.
    Raises: NotFound; IntentNotCancellable once a payment is on its way or more than dust was received.
    Locks: the intent, so a signature already recorded wins.
    """
    if not PaymentIntent.objects.visible_to(principal).filter(pk=intent_id).exists():
        raise NotFound("payment_intent")
    intent = locked_intent(intent_id)
    if not is_dust(intent, intent.received_usd) or not INTENT_MACHINE.allows(intent.status, "cancel"):
        raise IntentNotCancellable(intent.status)
    end_open_attempts(underway(intent), "cancelled by the merchant")
    apply_trigger(intent, "cancel", actor=principal.actor, cancelled_at=now())
    schedule_next_look(intent)
    return intent
