"""The only writer of a delivery's outcome: many rows by one statement, each only from an outcome the table allows."""

from datetime import datetime

from django.db.models import F, QuerySet

from webhooks.models import Delivery
from webhooks.states import MOVES, POSTED_NEVER, Step


def planned(at: datetime, *, is_pulled: bool) -> dict[str, datetime | None]:
    """The columns that say when a delivery is due. Why one that is fetched is never due: for workers it must not be."""
    return {"next_attempt_at": POSTED_NEVER, "pull_at": at} if is_pulled else {"next_attempt_at": at, "pull_at": None}


def finish(deliveries: QuerySet[Delivery], step: Step, at: datetime) -> int:
    """Move to a final outcome; how many rows did."""
    move = MOVES[step]
    return deliveries.filter(outcome__in=move.sources).update(
        outcome=move.target, next_attempt_at=None, pull_at=None, leased_until=None, finished_at=at
    )


def retry(deliveries: QuerySet[Delivery], due_at: datetime, *, is_pulled: bool = False) -> int:
    """Plan the next attempt; how many rows were still waiting for one."""
    move = MOVES[Step.RETRY]
    return deliveries.filter(outcome__in=move.sources).update(
        outcome=move.target, leased_until=None, **planned(due_at, is_pulled=is_pulled)
    )


def restart(deliveries: QuerySet[Delivery], at: datetime, *, is_pulled: bool = False) -> int:
    """Make finished deliveries due now, with the whole schedule before them; how many there were."""
    move = MOVES[Step.RESTART]
    return deliveries.filter(outcome__in=move.sources).update(
        outcome=move.target,
        leased_until=None,
        attempts_before=F("attempts"),
        finished_at=None,
        **planned(at, is_pulled=is_pulled),
    )
