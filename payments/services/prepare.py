"""From an accepted quote to transactions a wallet can sign."""

from uuid import UUID

from django.db import transaction

from chains.clients.registry import client_for
from core.clock import now
from core.transitions import move
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.routing.issue import unsigned_transaction
from payments.services.attempts import SIGNATURE_TIME
from payments.services.schedule import schedule_next_look
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import ATTEMPT_MACHINE, LEG_MACHINE, AttemptStatus, IntentStatus


def issue_transactions(intent_id: UUID, attempt_id: UUID) -> None:
    """Store the unsigned transaction of every leg and hand them out. Called with no transaction open.

    Why stored first: what a payer signs is exactly what the service later looks for on chain, from the block on
    that was the newest before anything was handed out.
    Raises: ChainUnavailable. Locks: the intent, once the chains have been asked.
    """
    mode = PaymentIntent.objects.values_list("mode", flat=True).get(pk=intent_id)
    chains = set(PaymentAttempt.objects.get(pk=attempt_id).legs.values_list("to_chain", flat=True))
    _hand_out(intent_id, attempt_id, {name: client_for(mode).head(name) for name in chains})


@transaction.atomic
def _hand_out(intent_id: UUID, attempt_id: UUID, heads: dict[str, int]) -> None:
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    if attempt.status != AttemptStatus.PREPARING or intent.status != IntentStatus.QUOTED:
        return
    for leg in attempt.legs.order_by("sequence"):
        if leg.to_chain not in heads:
            return  # quoted anew since: the next step asks again
        _issue(intent, leg, heads[leg.to_chain])
    move(ATTEMPT_MACHINE, attempt, "issue", {"signature_due_at": now() + SIGNATURE_TIME})
    apply_trigger(intent, "proceed", actor=PAYER)
    schedule_next_look(intent)


def _issue(intent: PaymentIntent, leg: Leg, start_block: int) -> None:
    issued = {"issued": unsigned_transaction(intent, leg), "start_block": start_block, "updated_at": now()}
    move(LEG_MACHINE, leg, "issue", issued)
