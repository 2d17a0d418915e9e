"""The app's thin wrapper around the one writer of statuses."""

from datetime import datetime
from typing import Any
from uuid import UUID

from core import transitions
from core.clock import now
from core.dispatch import nudge
from ledger.services import postings
from payouts.events import announce
from payouts.models import Payout, PayoutTransition
from payouts.services.booking import standing
from payouts.states import PAYOUT_MACHINE

PAYOUT_LIFECYCLE = transitions.Lifecycle(machine=PAYOUT_MACHINE, record=PayoutTransition, announce=announce)
WORKER = "worker"
_SWEEP = "payouts.sweep_due"


def locked_payout(payout_id: UUID) -> Payout:
    """Read a payout and hold its lock until the transaction ends. Raises: Payout.DoesNotExist.

    Locks: before its transfer's row. Why never its intent's row before it: a second write to a payout makes
    PostgreSQL look its intent up anew, under a shared lock, and two would wait for each other.
    """
    return transitions.locked(Payout.objects.select_related("intent"), pk=payout_id)


def apply_trigger(payout: Payout, trigger: str, *, actor: str = WORKER, reason: str = "", **changes: Any) -> None:
    """Move a payout by one trigger, with its history line and its event.

    Raises: InvalidTransition. Locks: the caller holds the payout's lock.
    """
    facts = {"updated_at": now(), **changes}
    before = standing(payout)
    transitions.apply(
        PAYOUT_LIFECYCLE,
        payout,
        trigger,
        actor=actor,
        reason=reason,
        changes=facts,
        beside=lambda: postings(before, standing(payout)),
    )


def look_again(payout: Payout, moment: datetime | None, **facts: Any) -> None:
    """Say when a payout is looked at next, and write facts that change no status. Locks: the payout's."""
    changes = {"next_attempt_at": moment, **facts}
    for name, value in changes.items():
        setattr(payout, name, value)
    payout.save(update_fields=list(changes))


def wake_worker() -> None:
    """Have what is due looked at once this commits, rather than with the next beat."""
    nudge(_SWEEP)
