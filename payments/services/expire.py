"""Ending what the clock has ended: intents, quotes, and signatures that never came."""

from uuid import UUID

from django.db import transaction

from core.clock import now
from payments.models import PaymentIntent
from payments.services.attempts import end_open_attempt, withdraw_open_attempt
from payments.services.schedule import ends_at, lapses_at, open_attempt, schedule_next_look, watched_legs
from payments.services.transition import WORKER, apply_trigger, locked_intent
from payments.states import FLYING_LEG, INTENT_MACHINE, TIME_RAN_OUT


@transaction.atomic
def end_what_is_over(intent_id: UUID) -> None:
    """Expire the intent or let its quote or signature time lapse, if due. Locks: the intent."""
    intent = locked_intent(intent_id)
    if _expires_now(intent):
        end_open_attempt(intent, "the intent expired")
        apply_trigger(intent, "expire", actor=WORKER)
    elif _attempt_lapses_now(intent):
        withdraw_open_attempt(intent, TIME_RAN_OUT)
    schedule_next_look(intent)


def _expires_now(intent: PaymentIntent) -> bool:
    if not INTENT_MACHINE.allows(intent.status, "expire") or intent.expires_due_at > now():
        return False
    legs = watched_legs(intent)
    return ends_at(intent, legs) <= now() and not any(leg.status in FLYING_LEG for leg in legs)


def _attempt_lapses_now(intent: PaymentIntent) -> bool:
    attempt = open_attempt(intent)
    moment = None if attempt is None else lapses_at(attempt, watched_legs(intent))
    return moment is not None and moment <= now()
