"""Several tries of one payment at once: what its status follows from, and which of them end when one goes on.

Nobody's try is in the way of another's. One that ends is still watched: what its wallet signed counts when it arrives.
Source: docs/adr/0045-an-attempt-belongs-to-who-began-it.md.
"""

from collections.abc import Iterable

from django.db.models import Q

from core.clock import now
from core.transitions import move
from payments.amounts import is_dust
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.services.transition import PAYER, apply_trigger
from payments.services.underway import Underway, open_attempts
from payments.states import (
    ATTEMPT_MACHINE,
    FLYING_LEG,
    LEG_MACHINE,
    AttemptStatus,
    IntentStatus,
    LegStatus,
)

MOST_OPEN = 16
"""Tries of one payment that may be open at once; one more ends the oldest. Source: docs/adr/0045 (Bounds)."""
MOST_WALLETS = 48
"""Wallets that are remembered for one payment at once."""
_PRICED = (AttemptStatus.QUOTED, AttemptStatus.PREPARING)
_BEFORE_SIGNING = (AttemptStatus.QUOTING, AttemptStatus.QUOTED, AttemptStatus.PREPARING)
_UNSIGNED = (*_BEFORE_SIGNING, AttemptStatus.AWAITING_SIGNATURE)
_S = IntentStatus
_STEPS = {
    (_S.QUOTED, _S.REQUIRES_PAYMENT): ("lapse_quote",),
    (_S.QUOTED, _S.PARTIALLY_FILLED): ("lapse_top_up_quote",),
    (_S.AWAITING_SIGNATURE, _S.REQUIRES_PAYMENT): ("abandon",),
    (_S.AWAITING_SIGNATURE, _S.PARTIALLY_FILLED): ("abandon_top_up",),
    (_S.AWAITING_SIGNATURE, _S.QUOTED): ("requote",),
    (_S.REQUIRES_PAYMENT, _S.AWAITING_SIGNATURE): ("resume", "proceed"),
    (_S.PARTIALLY_FILLED, _S.AWAITING_SIGNATURE): ("resume", "proceed"),
}
"""By the status and what the open tries justify: the triggers that lead there. A price is announced by its own."""


def own_open_attempt(intent: PaymentIntent, browser: str) -> PaymentAttempt | None:
    """The one open attempt that this browser began, if any."""
    return next((one for one in open_attempts(intent) if one.browser == browser), None)


def follow_attempts(intent: PaymentIntent, reason: str = "") -> None:
    """Bring the status of an unpaid intent in line with the furthest of its open attempts.

    Locks: the caller holds the intent's lock.
    Source: docs/design/payments.md, What came stays.
    """
    for trigger in _STEPS.get((IntentStatus(intent.status), _justified(intent)), ()):
        apply_trigger(intent, trigger, actor=PAYER, reason=reason)


def _justified(intent: PaymentIntent) -> IntentStatus:
    open_now = {attempt.status for attempt in open_attempts(intent)}
    if AttemptStatus.AWAITING_SIGNATURE in open_now:
        return IntentStatus.AWAITING_SIGNATURE
    if open_now.intersection(_PRICED):
        return IntentStatus.QUOTED
    return unattempted(intent)


def unattempted(intent: PaymentIntent) -> IntentStatus:
    """Where an intent is that nobody is trying to pay: dust does not fill it in part."""
    is_funded = not is_dust(intent, intent.received_usd)
    return IntentStatus.PARTIALLY_FILLED if is_funded else IntentStatus.REQUIRES_PAYMENT


def withdraw(intent: PaymentIntent, attempt: PaymentAttempt | None, reason: str) -> None:
    """End one attempt, if its money is not moving; the intent goes to what the others justify. Locks: the intent."""
    if attempt is not None:
        end_attempt(attempt, attempt.legs.all(), reason)
    follow_attempts(intent, reason)


def end_attempt(attempt: PaymentAttempt, legs: Iterable[Leg], reason: str) -> None:
    """End an attempt unless its money is already moving; the intent's own status is left alone. Locks: the intent.

    ``legs``: the attempt's own.
    """
    if attempt.status in _UNSIGNED:
        move(ATTEMPT_MACHINE, attempt, "abandon")
        discard_unsigned_legs(attempt, legs, reason)


def end_open_attempts(way: Underway, reason: str) -> None:
    """End every attempt whose money is not moving; the intent's own status is left alone. Locks: the intent."""
    for attempt in way.attempts:
        end_attempt(attempt, way.legs_of(attempt), reason)


def make_way(intent: PaymentIntent, way: Underway, reason: str) -> None:
    """A payment is on its way: end what nobody was asked to sign yet, and what its own payer would pay twice.

    Why not the others': their payers may be signing this moment, and are told that somebody else paid first.
    Locks: the intent.
    """
    for attempt in way.attempts:
        is_asked = attempt.status == AttemptStatus.AWAITING_SIGNATURE
        if attempt.status in _BEFORE_SIGNING or (is_asked and _pays_otherwise(intent, attempt)):
            end_attempt(attempt, way.legs_of(attempt), reason)


def _pays_otherwise(intent: PaymentIntent, attempt: PaymentAttempt) -> bool:
    """Whether a payment of the same browser's is on its way, or arrived, by another of its attempts."""
    others = intent.legs.filter(attempt__browser=attempt.browser).exclude(attempt=attempt)
    arrived = Q(status=LegStatus.CONFIRMED, confirmed_at__gte=attempt.created_at)
    return others.filter(arrived | Q(status__in=FLYING_LEG)).exists()


def make_room(intent: PaymentIntent) -> None:
    """Let one more attempt begin: where there are too many, the oldest that nobody was asked to sign ends.

    Where all were asked, the oldest of those: what its wallet signs counts all the same. Locks: the intent.
    """
    unsigned = [attempt for attempt in open_attempts(intent) if attempt.status in _UNSIGNED]
    if len(unsigned) < MOST_OPEN:
        return
    unasked = [attempt for attempt in unsigned if attempt.status in _BEFORE_SIGNING]
    oldest = (unasked or unsigned)[0]
    end_attempt(oldest, oldest.legs.all(), "too many tries at once")


def forget_old_wallets(intent: PaymentIntent) -> None:
    """Forget the wallet that was connected first and is not in any open attempt, where there are too many.

    Locks: the intent.
    """
    wallets = intent.payer_wallets.order_by("connected_at", "pk")
    if wallets.count() > MOST_WALLETS:
        busy = [attempt.browser for attempt in open_attempts(intent)]
        oldest = wallets.exclude(browser__in=busy).first()
        if oldest is not None:
            oldest.delete()


def close_attempt(attempt: PaymentAttempt, legs: Iterable[Leg], trigger: str) -> None:
    """End an attempt whose outcome is known; what was not signed of it is not needed any more. Locks: the intent.

    ``legs``: the attempt's own.
    """
    for leg in legs:
        if leg.status in (LegStatus.PLANNED, LegStatus.AWAITING_SIGNATURE):
            move(LEG_MACHINE, leg, "fail", {"error": "no longer needed", "updated_at": now()})
    move(ATTEMPT_MACHINE, attempt, trigger)


def close_landed_attempts(way: Underway) -> None:
    """End what had been signed beside the payment that ended the intent, once its own money is no longer moving.

    Locks: the intent.
    """
    for attempt in way.executing:
        legs = way.legs_of(attempt)
        statuses = {leg.status for leg in legs}
        if not statuses.intersection(FLYING_LEG):
            close_attempt(attempt, legs, "confirm" if LegStatus.CONFIRMED in statuses else "fail")


def discard_unsigned_legs(attempt: PaymentAttempt, legs: Iterable[Leg], reason: str) -> None:
    """Forget legs that no wallet ever saw; mark those that one did see as failed, for they may still be sent.

    ``legs``: the attempt's own.
    """
    attempt.legs.filter(status=LegStatus.PLANNED).delete()
    for leg in legs:
        if leg.status == LegStatus.AWAITING_SIGNATURE and not leg.tx_hash:
            move(LEG_MACHINE, leg, "fail", {"error": reason[:300], "updated_at": now()})
