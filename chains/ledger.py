"""The one writer of transfers: each change of status under the row's lock, with its history line."""

from typing import Any
from uuid import UUID

from chains.models import Transfer, TransferTransition
from chains.states import TRANSFER_MACHINE
from core import transitions
from core.clock import now

WORKER = "worker"


LIFECYCLE = transitions.Lifecycle(
    machine=TRANSFER_MACHINE,
    record=TransferTransition,
    announce=lambda _transfer, _event: (),  # its owner, a refund or a payout, announces
)


def locked_transfer(transfer_id: UUID) -> Transfer:
    """Read a transfer and hold its lock until the transaction ends.

    Locks: after its owner's row, before its signing account's.
    """
    return transitions.locked(Transfer.objects.all(), pk=transfer_id)


def open_transfer(transfer: Transfer) -> None:
    """Insert a new transfer with its first history line, in the caller's transaction."""
    transitions.initial(LIFECYCLE, transfer, actor=WORKER)


def advance(transfer: Transfer, trigger: str, *, actor: str = WORKER, reason: str = "", **changes: Any) -> None:
    """Move a transfer by one trigger; whatever hindered it is over.

    Raises: InvalidTransition. Locks: the caller holds the transfer's lock.
    """
    facts = {"blocker": "", "updated_at": now(), **changes}
    transitions.apply(LIFECYCLE, transfer, trigger, actor=actor, reason=reason, changes=facts)


def note(transfer: Transfer, **facts: Any) -> None:
    """Write facts that change no status. Locks: the caller holds the transfer's lock."""
    for name, value in {**facts, "updated_at": now()}.items():
        setattr(transfer, name, value)
    transfer.save(update_fields=[*facts, "updated_at"])
