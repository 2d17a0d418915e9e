"""What became of an intent's payout, as lines of its explanation."""

from collections.abc import Mapping

from core.money import to_decimal_string
from payments.explanation import Actor, After, Line, given, known_hash, moment
from payments.models import PaymentIntent
from payouts.models import Payout
from payouts.states import P, PayoutStatus

_THERE = "It is at the settlement address until the payout is sent."
_SENT = "It is on its way from the settlement address to the payout's destination."
_NOTHING = "Nothing to do: it goes on by itself."

PAYOUT_WORDS: Mapping[PayoutStatus, After] = {
    P.QUEUED: After(Actor.SERVICE, "", "A payout waits for its turn.", _THERE, _NOTHING),
    P.PENDING: After(Actor.SERVICE, "", "A payout is being checked before it is sent.", _THERE, _NOTHING),
    P.PROCESSING: After(Actor.SERVICE, "", "A payout is being signed and sent.", _THERE, _NOTHING),
    P.PENDING_PROVIDER: After(
        Actor.SERVICE, "", "A payout was sent; the chain has not confirmed it yet.", _SENT, _NOTHING
    ),
    P.RETRY_SCHEDULED: After(
        Actor.SERVICE, "warn", "A payout could not be sent; another attempt is planned.", _THERE, _NOTHING
    ),
    P.PAID: After(Actor.NOBODY, "ok", "The payout is done.", "It is at the payout's destination.", "Nothing."),
    P.FAILED: After(
        Actor.MERCHANT,
        "bad",
        "The payout failed. Nothing was sent.",
        "It is still at the settlement address.",
        "Mend what the reason names, then replay the payout. It can never be paid twice.",
    ),
    P.PAUSED: After(
        Actor.MERCHANT,
        "warn",
        "The payout is paused. Nothing was sent.",
        _THERE,
        "Look at the reason, then resume the payout on the dashboard.",
    ),
}
PAYOUT_CODES = tuple(f"payout_{status}" for status in PAYOUT_WORDS)
"""Every code of such a line."""


def payout_lines(intent: PaymentIntent) -> list[Line]:
    """A line for the intent's payout, where there is one. One query."""
    return [_line(payout) for payout in intent.payouts.order_by("-created_at", "-pk")[:1]]


def _line(payout: Payout) -> Line:
    words = PAYOUT_WORDS[PayoutStatus(payout.status)]
    return words.line(
        f"payout_{payout.status}",
        payout.updated_at,
        given(
            id=str(payout.pk),
            amount_usd=to_decimal_string(payout.amount_usd),
            tx_hash=known_hash(payout.tx_hash),
            failure_reason=payout.failure_reason,
            retry_at=moment(payout.retry_at),
            attempts=payout.attempts,
        ),
    )
