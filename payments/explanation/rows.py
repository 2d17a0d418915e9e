"""The rows that a diagnosis is made from, each kind read once and only if it is asked for."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from payments.models import Credit, IntentTransition, Leg, PaymentAttempt, PaymentIntent
from payments.states import FLYING_LEG, OPEN_ATTEMPT, PAYER_REJECTED, REVERTED, AttemptStatus, LegStatus

_UNSENT_FOR_SURE = (PAYER_REJECTED, REVERTED)


class Rows:
    """An intent and what belongs to it, as seen at one moment.

    ``known`` gives what the caller has read already: ``legs``, ``attempt``, ``credits`` or ``last_step``. What was
    prefetched is not read again. Why sorted here: an order of the database's would be.

    For one payer of several: its own ``attempt``, its ``browser``, and the ``status`` that it is in itself.
    """

    browser: str | None = None

    def __init__(self, intent: PaymentIntent, at: datetime, **known: Any) -> None:
        self.intent = intent
        self.at = at
        self.__dict__.update(known)

    @cached_property
    def legs(self) -> Sequence[Leg]:
        """Every transaction, oldest first."""
        return sorted(self.intent.legs.all(), key=lambda leg: leg.sequence)

    @cached_property
    def status(self) -> str:
        """How far it is for whoever reads this."""
        return self.intent.status

    @cached_property
    def attempt(self) -> PaymentAttempt | None:
        """The try that has come furthest of those that are open; where all are over, the newest."""
        attempts = list(self.intent.payment_attempts.all())
        return furthest_of(attempts) or max(attempts, key=lambda one: one.number, default=None)

    @property
    def own_legs(self) -> Sequence[Leg]:
        """The transactions of whoever reads this; all of them where that is nobody in particular."""
        if self.browser is None:
            return self.legs
        return [leg for leg in self.legs if leg.attempt is not None and leg.attempt.browser == self.browser]

    @cached_property
    def credits(self) -> Sequence[Credit]:
        """Everything that was ever seen arriving."""
        return sorted(self.intent.credits.all(), key=lambda one: one.pk)

    @cached_property
    def last_step(self) -> IntentTransition | None:
        """The newest line of the transition log."""
        return self.intent.history.order_by("-pk").first()

    @property
    def standing(self) -> list[Credit]:
        """What arrived for the intent and was not taken back."""
        return [one for one in self.credits if one.purpose == "settlement" and one.reversed_at is None]

    @property
    def strays(self) -> list[Credit]:
        """What arrived that does not count: another token, or another place."""
        return [one for one in self.credits if one.purpose != "settlement" and one.reversed_at is None]

    @property
    def flying(self) -> list[Leg]:
        """Transactions under way, the newest first."""
        return [leg for leg in reversed(self.legs) if leg.status in FLYING_LEG]

    @property
    def may_have_been_sent(self) -> bool:
        """Whether a wallet was given something that it may have sent, and never said that it did not.

        Why not one that said so: its word is all that can be had. What it is asked for right now is not counted. What
        was issued is looked at last: pages that show many legs leave it in the database.
        """
        asked = (LegStatus.FAILED, LegStatus.AWAITING_SIGNATURE)
        unclear = (leg for leg in self.legs if leg.status in asked and leg.error and leg.error not in _UNSENT_FOR_SURE)
        return any(leg.issued for leg in unclear)

    @property
    def open_attempt(self) -> PaymentAttempt | None:
        """The try that is not over, if any."""
        attempt = self.attempt
        return attempt if attempt is not None and attempt.status in OPEN_ATTEMPT else None

    @property
    def mentioned_leg(self) -> Leg | None:
        """The transaction that a sentence speaks of: the newest under way, else the newest that was sent."""
        sent = [leg for leg in reversed(self.legs) if leg.tx_hash]
        return next(iter([*self.flying, *sent]), None)


def furthest_of(attempts: Iterable[PaymentAttempt]) -> PaymentAttempt | None:
    """The one that has come furthest of those that are open; None where none is."""
    open_now = [one for one in attempts if one.status in OPEN_ATTEMPT]
    return max(open_now, key=lambda one: (OPEN_ATTEMPT.index(AttemptStatus(one.status)), one.number), default=None)
