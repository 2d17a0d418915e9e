"""What is under way of a payment: its open attempts and its legs, read once and then decided by."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from core.compiled import compiled_once
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.states import FLYING_LEG, OPEN_ATTEMPT, AttemptStatus, LegStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class Underway:
    """The attempts that were open when they were read, and all legs.

    Whoever changes one of these rows changes it here too, so that what follows is decided by what stands.
    """

    attempts: list[PaymentAttempt]
    legs: list[Leg]

    @property
    def executing(self) -> list[PaymentAttempt]:
        """The attempts of which something was signed and that are not over."""
        return [attempt for attempt in self.attempts if attempt.status == AttemptStatus.EXECUTING]

    @property
    def is_moving(self) -> bool:
        """Whether a leg was sent, and it is not known yet what it brought."""
        return any(leg.status in FLYING_LEG for leg in self.legs)

    def leg(self, leg_id: UUID) -> Leg:
        """One of the legs. Raises: StopIteration where it is another intent's."""
        return next(leg for leg in self.legs if leg.pk == leg_id)

    def legs_of(self, attempt: PaymentAttempt) -> list[Leg]:
        """An attempt's own legs, in their order."""
        return [leg for leg in self.legs if leg.attempt_id == attempt.pk]


def underway(intent: PaymentIntent) -> Underway:
    """Read both. Locks: the caller holds the intent's lock where it decides by them."""
    attempts, legs = open_attempts(intent), legs_of(intent)
    by_key = {attempt.pk: attempt for attempt in attempts}
    for leg in legs:
        if leg.attempt_id in by_key:
            leg.attempt = by_key[leg.attempt_id]  # the same row, so that a change is seen from both sides
    return Underway(attempts=attempts, legs=legs)


def legs_of(intent: PaymentIntent) -> list[Leg]:
    """All legs of an intent, in their order."""
    legs = _legs(intent.pk)
    for leg in legs:
        leg.intent = intent
    return legs


def open_attempts(intent: PaymentIntent) -> list[PaymentAttempt]:
    """Every attempt that is not over, at most one of each browser, the oldest first."""
    attempts = _open_attempts(intent.pk)
    for attempt in attempts:
        attempt.intent = intent
    return attempts


@compiled_once
def _legs(intent_id: UUID) -> QuerySet[Leg]:
    return Leg.objects.filter(intent_id=intent_id).order_by("sequence")


@compiled_once
def _open_attempts(intent_id: UUID) -> QuerySet[PaymentAttempt]:
    return PaymentAttempt.objects.filter(intent_id=intent_id, status__in=OPEN_ATTEMPT).order_by("number")


def awaits_next_leg(attempt: PaymentAttempt, legs: Iterable[Leg]) -> bool:
    """Whether a leg's turn has come: those before it brought their money, and nobody has been asked to sign it.

    ``legs``: the intent's, or the attempt's own.
    """
    if attempt.status != AttemptStatus.EXECUTING:
        return False
    statuses = {leg.status for leg in legs if leg.attempt_id == attempt.pk}
    return LegStatus.PLANNED in statuses and statuses <= {LegStatus.PLANNED, LegStatus.CONFIRMED}
