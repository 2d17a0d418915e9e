"""Ending what the clock has ended: intents, quotes, and signatures that never came."""

import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.clock import now
from payments.models import MAY_EXPIRE, Credit, Leg, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.queue import look_at_none_of, look_by
from payments.services.schedule import (
    ends_at,
    lapses_at,
    schedule_next_look,
    write_next_look,
)
from payments.services.side_by_side import end_open_attempts, withdraw
from payments.services.standing import awaited, standings
from payments.services.transition import WORKER, apply_trigger, apply_trigger_to_many, locked_intent
from payments.services.underway import Underway, underway
from payments.states import FLYING_LEG, INTENT_MACHINE, OPEN_ATTEMPT, TIME_RAN_OUT

_LOGGER = logging.getLogger("causeway.payments")
MOST_AT_ONCE = 500
"""Intents that end in one transaction. Why no more: their payers' and merchants' own requests wait for it."""


def expire_untouched(is_over: Callable[[], bool]) -> int:
    """End the intents whose time is over and that nobody began to pay, many at once; says how many.

    Where it fails they are put into the queue instead, and end one after the other.
    """
    ended = 0
    try:
        while not is_over() and (count := _expire_batch()):
            ended += count
    except Exception:
        _LOGGER.exception("could not end many intents at once")
        _queue_untouched()
    return ended


@transaction.atomic
def _queue_untouched() -> None:
    """Have workers look at each of those that are not in the queue. Locks: as ``_expire_batch``."""
    new = _over().filter(queued=None).order_by("expires_due_at", "pk")
    held = new.select_for_update(skip_locked=True, of=("self",)).values_list("pk", "status")[:MOST_AT_ONCE]
    look_by(dict(held), now())


@transaction.atomic
def _expire_batch() -> int:
    """Locks: the intents, as many as nobody else holds.

    Why they are asked for twice: what was written while the first question ran is seen by the second alone.
    """
    due = _over().filter(Q(queued=None) | Q(queued__due_at__lte=now())).order_by("expires_due_at", "pk")
    held = list(due.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[:MOST_AT_ONCE])
    intents = list(_over().filter(pk__among=held).order_by("pk")) if held else []
    if intents:
        apply_trigger_to_many(intents, "expire", actor=WORKER)
        look_at_none_of(intent.pk for intent in intents)
    return len(intents)


def untouched() -> Q:
    """Intents of which nothing has to be asked or ended before they expire, and nothing looked for after.

    No try is open, no wallet was given anything to sign or waits to be looked into, and nothing arrived.
    """
    own = {"intent": OuterRef("pk")}
    unread = PayerWallet.objects.filter(Q(tokens__isnull=True) | ~Q(unread=[]), **own)
    return Q(
        MAY_EXPIRE,
        ~Exists(PaymentAttempt.objects.filter(status__in=OPEN_ATTEMPT, **own)),
        ~Exists(Leg.objects.filter(**own).exclude(issued={})),
        ~Exists(Credit.objects.filter(**own)),
        ~Exists(unread),
    )


def _over() -> QuerySet[PaymentIntent]:
    rows: QuerySet[PaymentIntent] = PaymentIntent.objects.filter(untouched(), expires_due_at__lte=now())
    return rows


@transaction.atomic
def end_what_is_over(intent_id: UUID) -> datetime | None:
    """Expire the intent or let its quotes or signature times lapse, where due; when it is looked at next.

    Locks: the intent.
    """
    intent = locked_intent(intent_id)
    return end_if_over(intent, underway(intent))


def end_if_over(intent: PaymentIntent, way: Underway) -> datetime | None:
    """The same, for a caller that holds the intent's lock and has read what is under way."""
    legs = standings(intent, way.legs)
    handed_out = [one.leg for one in awaited(legs)]
    lapsing = _lapsing_now(way.attempts, handed_out)
    may_expire = INTENT_MACHINE.allows(intent.status, "expire") and intent.expires_due_at <= now()
    is_moving = any(leg.status in FLYING_LEG for leg in handed_out)
    if may_expire and ends_at(intent, handed_out) <= now() and not is_moving:
        end_open_attempts(way, "the intent expired")
        apply_trigger(intent, "expire", actor=WORKER)
        return schedule_next_look(intent)
    if lapsing:
        for attempt in lapsing:
            withdraw(intent, attempt, TIME_RAN_OUT)
        return schedule_next_look(intent)
    return write_next_look(intent, [attempt for attempt in way.attempts if attempt.status in OPEN_ATTEMPT], legs)


def _lapsing_now(attempts: list[PaymentAttempt], legs: list[Leg]) -> list[PaymentAttempt]:
    moments = [(attempt, lapses_at(attempt, legs)) for attempt in attempts]
    return [attempt for attempt, moment in moments if moment is not None and moment <= now()]
