"""The app's thin wrapper around the one writer of statuses."""

from typing import Any
from uuid import UUID

from core import transitions
from core.clock import now
from core.errors import NotFound
from ledger.services import postings
from merchants.principal import Principal
from refunds.events import announce
from refunds.models import Refund, RefundTransition
from refunds.services.booking import standing
from refunds.states import REFUND_MACHINE

REFUND_LIFECYCLE = transitions.Lifecycle(machine=REFUND_MACHINE, record=RefundTransition, announce=announce)
WORKER = "worker"


def locked_refund(refund_id: UUID) -> Refund:
    """Read a refund and hold its lock until the transaction ends. Locks: after its intent's, before its transfer's."""
    return transitions.locked(Refund.objects.all(), pk=refund_id)


def locked_own_refund(principal: Principal, refund_id: UUID) -> Refund:
    """The principal's refund under its lock. Raises: NotFound."""
    try:
        return transitions.locked(Refund.objects.visible_to(principal), pk=refund_id)
    except Refund.DoesNotExist:
        raise NotFound("refund") from None


def apply_trigger(refund: Refund, trigger: str, *, actor: str = WORKER, reason: str = "", **changes: Any) -> None:
    """Move a refund by one trigger, with its history line and its event.

    Raises: InvalidTransition. Locks: the caller holds the refund's lock.
    """
    facts = {"updated_at": now(), **changes}
    before = standing(refund)
    transitions.apply(
        REFUND_LIFECYCLE,
        refund,
        trigger,
        actor=actor,
        reason=reason,
        changes=facts,
        beside=lambda: postings(before, standing(refund)),
    )
