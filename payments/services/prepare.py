"""From an accepted quote to transactions a wallet can sign."""

from uuid import UUID

from django.db import transaction

from core.clock import now
from core.transitions import move
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.routing.issue import unsigned_transaction
from payments.services.attempts import SIGNATURE_TIME
from payments.services.schedule import schedule_next_look
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import ATTEMPT_MACHINE, LEG_MACHINE, AttemptStatus, IntentStatus


@transaction.atomic
def issue_transactions(intent_id: UUID, attempt_id: UUID) -> None:
    """Store the unsigned transaction of every leg and hand them out. Locks: the intent.

    Why stored first: what a payer signs is exactly what the service later looks for on chain.
    """
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    if attempt.status != AttemptStatus.PREPARING or intent.status != IntentStatus.QUOTED:
        return
    for leg in attempt.legs.order_by("sequence"):
        _issue(intent, leg)
    move(ATTEMPT_MACHINE, attempt, "issue", {"signature_due_at": now() + SIGNATURE_TIME})
    apply_trigger(intent, "proceed", actor=PAYER)
    schedule_next_look(intent)


def _issue(intent: PaymentIntent, leg: Leg) -> None:
    move(LEG_MACHINE, leg, "issue", {"issued": unsigned_transaction(intent, leg), "updated_at": now()})
