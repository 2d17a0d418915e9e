"""Whose an event on a chain is: money that came in, or the proof of a transfer that went out, never both.

Source: docs/adr/0044.
"""

from dataclasses import asdict, dataclass

from django.db.models import Q, QuerySet

from chains.models import EventOwner, OwnerKind, TransferAttempt
from core.bulk import insert_once


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainEvent:
    """The name of one event, for ever: ``position`` is its place among the transaction's logs, a path or an account."""

    network: str
    chain: str
    tx_hash: str
    kind: str
    position: str


def take_event(event: ChainEvent, owner: OwnerKind) -> bool:
    """Make an event this kind of owner's; False where it is the other one's already.

    Our own signers' transactions are proofs from the moment they are stored, whatever they move.
    Called in the transaction that writes the credit or the proof.
    """
    if owner == OwnerKind.CREDIT and TransferAttempt.objects.filter(tx_hash=event.tx_hash).exists():
        return False
    if _same_kind(event).filter(_old_name(event)).exclude(owner=owner).exists():
        return False
    if insert_once(EventOwner(**asdict(event), owner=owner)):
        return True
    return EventOwner.objects.filter(**asdict(event), owner=owner).exists()


def is_proof(event: ChainEvent) -> bool:
    """Whether an event proves a transfer that went out, so that it can be nobody's payment."""
    if TransferAttempt.objects.filter(tx_hash=event.tx_hash).exists():
        return True
    own_name = Q(position=event.position)
    return _same_kind(event).filter(own_name | _old_name(event), owner=OwnerKind.PROOF).exists()


def _same_kind(event: ChainEvent) -> QuerySet[EventOwner]:
    rows: QuerySet[EventOwner] = EventOwner.objects.filter(
        network=event.network, chain=event.chain, tx_hash=event.tx_hash, kind=event.kind
    )
    return rows


def _old_name(event: ChainEvent) -> Q:
    """The transaction's logs from when these were named by their place in the block, all digits.

    Why the owners of all of them speak for each of its logs: which is which is known no more.
    """
    had_one = event.kind == "log" and event.network != "simulated"
    return Q(position__regex=r"^\d+$") if had_one else Q(pk__in=[])


def taken_places(network: str, chain: str, tx_hash: str) -> set[tuple[str, str]]:
    """The events of a transaction that have an owner: kind and position."""
    rows = EventOwner.objects.filter(network=network, chain=chain, tx_hash=tx_hash)
    return set(rows.values_list("kind", "position"))


def move_event(event: ChainEvent, position: str) -> None:
    """Follow an event to another place in its transaction, as logs are counted anew in another block."""
    EventOwner.objects.filter(**asdict(event)).update(position=position)
