"""Ending what the clock has ended: intents, quotes, and signatures that never came."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from core.clock import now
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.services.schedule import (
    awaited_legs,
    ends_at,
    lapses_at,
    open_attempts,
    schedule_next_look,
    write_next_look,
)
from payments.services.side_by_side import end_open_attempts, withdraw
from payments.services.transition import WORKER, apply_trigger, locked_intent
from payments.states import FLYING_LEG, INTENT_MACHINE, TIME_RAN_OUT


@transaction.atomic
def end_what_is_over(intent_id: UUID) -> datetime | None:
    """Expire the intent or let its quotes or signature times lapse, where due; when it is looked at next.

    Locks: the intent.
    """
    intent = locked_intent(intent_id)
    attempts, legs = open_attempts(intent), awaited_legs(intent)
    lapsing = _lapsing_now(attempts, legs)
    if _expires_now(intent, legs):
        end_open_attempts(intent, "the intent expired")
        apply_trigger(intent, "expire", actor=WORKER)
        schedule_next_look(intent)
    elif lapsing:
        for attempt in lapsing:
            withdraw(intent, attempt, TIME_RAN_OUT)
        schedule_next_look(intent)
    else:
        write_next_look(intent, attempts, legs)
    looked_at_next: datetime | None = intent.next_attempt_at
    return looked_at_next


def _expires_now(intent: PaymentIntent, legs: list[Leg]) -> bool:
    if not INTENT_MACHINE.allows(intent.status, "expire") or intent.expires_due_at > now():
        return False
    return ends_at(intent, legs) <= now() and not any(leg.status in FLYING_LEG for leg in legs)


def _lapsing_now(attempts: list[PaymentAttempt], legs: list[Leg]) -> list[PaymentAttempt]:
    moments = [(attempt, lapses_at(attempt, legs)) for attempt in attempts]
    return [attempt for attempt, moment in moments if moment is not None and moment <= now()]
