"""What can become of a delivery, as a table.

Why not ``core.states``: see the decision record on recording in batches.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from django.db import models

from core.outbound import answers

BROKE = "internal_error"
"""The word for a try that our own fault ended."""
NO_ANSWER = (*answers.WORDS, BROKE)
"""Why a try brought no answer, in one word."""


NOT_SENT: Final = "not_sent"
"""Why a test of a receiver brought no answer: its time was over, or the endpoint was switched off meanwhile."""
TEST_ERRORS: Final = (*NO_ANSWER, NOT_SENT)
POSTED_NEVER: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""When a delivery that is fetched is due to be posted: so no worker of any version sees it."""


class Outcome(models.TextChoices):
    """Where a delivery stands."""

    DUE = "due"
    DELIVERED = "delivered"
    EXHAUSTED = "exhausted"
    CANCELLED = "cancelled"


class Step(StrEnum):
    """What moves a delivery on."""

    RETRY = "retry"
    DELIVER = "deliver"
    EXHAUST = "exhaust"
    CANCEL = "cancel"
    RESTART = "restart"


@dataclass(frozen=True, kw_only=True)
class Move:
    """One row of the table: from which outcomes, to which."""

    sources: frozenset[Outcome]
    target: Outcome


MOVES: dict[Step, Move] = {
    Step.RETRY: Move(sources=frozenset({Outcome.DUE}), target=Outcome.DUE),
    # Why from cancelled: an answer may come after the endpoint was disabled; it was delivered all the same.
    Step.DELIVER: Move(sources=frozenset({Outcome.DUE, Outcome.CANCELLED}), target=Outcome.DELIVERED),
    Step.EXHAUST: Move(sources=frozenset({Outcome.DUE}), target=Outcome.EXHAUSTED),
    Step.CANCEL: Move(sources=frozenset({Outcome.DUE}), target=Outcome.CANCELLED),
    # By resend and recover only.
    Step.RESTART: Move(
        sources=frozenset({Outcome.DELIVERED, Outcome.EXHAUSTED, Outcome.CANCELLED}), target=Outcome.DUE
    ),
}


class EndpointKind(models.TextChoices):
    """How an endpoint gets its deliveries."""

    PUSH = "push", "Posted to its URL."
    PULL = "pull", "Fetched and answered by the merchant."


class Check(models.TextChoices):
    """What a receiver is tested for, and what is sent for it. The order is that of the battery."""

    GENUINE = "genuine", "A signed event is accepted."
    DUPLICATE = "duplicate", "The same request again, byte for byte, is accepted."
    LOST_ANSWER = "lost_answer", "An event that is sent again because its answer was lost is accepted."
    REORDERED = "reordered", "The second event of a resource is accepted before the first."
    ROTATION = "rotation", "A request with two signatures is accepted where the second one is right."
    UNKNOWN_TYPE = "unknown_type", "An event of a type that is not known is accepted."
    LARGE_METADATA = "large_metadata", "An event with as much metadata as a payment may have is accepted."
    SLOW_ANSWER = "slow_answer", "Each of these is answered within five seconds."
    STALE = "stale", "A request that was signed ten minutes ago is refused."
    WRONG_SIGNATURE = "wrong_signature", "A request that another secret signed is refused."
    ALTERED_BODY = "altered_body", "A body that was changed after it was signed is refused."
    UNSIGNED = "unsigned", "A request without a signature is refused."


class Expected(models.TextChoices):
    """What a receiver has to answer."""

    ACCEPTED = "accepted", "Any 2xx."
    REFUSED = "refused", "Any 4xx."


class DisabledReason(models.TextChoices):
    """Why an endpoint is off."""

    BY_MERCHANT = "by_merchant", "The merchant switched it off."
    GONE = "gone", "The receiver answered 410 Gone."
    FAILING = "failing", "Nothing but failures for five days."
