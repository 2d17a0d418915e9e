"""Whose an event on a chain is: money that came in, or the proof of a transfer that went out, never both.

Source: docs/adr/0044.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace

from django.db.models import QuerySet

from chains.models import EventOwner, OwnerKind, TransferAttempt
from core.bulk import insert_once
from core.compiled import compiled_once


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
    return not owners_of([event]).is_anothers(event, owner) and take_free(event, owner)


def take_free(event: ChainEvent, owner: OwnerKind) -> bool:
    """Make an event this kind of owner's that was nobody else's a moment ago; False where it is now. As above."""
    if insert_once(EventOwner(**asdict(event), owner=owner)):
        return True
    return EventOwner.objects.filter(**asdict(event), owner=owner).exists()


@dataclass(frozen=True, kw_only=True, slots=True)
class Owners:
    """Whose the events of some transactions are: ``sent`` of them are our own signers' whole; the others, by name.

    ``old``: the owners of a transaction's logs from when these were named by their place in the block, all digits.
    Why each of them speaks for all of its logs: which is which is known no more.
    """

    sent: frozenset[str] = frozenset()
    named: Mapping[ChainEvent, str] = field(default_factory=dict)
    old: frozenset[tuple[ChainEvent, str]] = frozenset()

    def is_proof(self, event: ChainEvent) -> bool:
        """Whether an event proves a transfer that went out, so that it can be nobody's payment."""
        return self.is_anothers(event, OwnerKind.CREDIT)

    def is_anothers(self, event: ChainEvent, owner: OwnerKind) -> bool:
        """Whether it is known to be the other kind's."""
        if owner == OwnerKind.CREDIT and event.tx_hash in self.sent:
            return True
        theirs = OwnerKind.PROOF if owner == OwnerKind.CREDIT else OwnerKind.CREDIT
        return self.named.get(event) == theirs or (replace(event, position=""), theirs) in self.old


def owners_of(events: Iterable[ChainEvent]) -> Owners:
    """Read whose these events are, and all others of their transactions."""
    asked = list(events)
    hashes = {event.tx_hash for event in asked}
    rows = _named({event.network for event in asked}, {event.chain for event in asked}, hashes)
    named = {
        ChainEvent(network=network, chain=chain, tx_hash=tx_hash, kind=kind, position=position): owner
        for network, chain, tx_hash, kind, position, owner in rows
    }
    return Owners(
        sent=frozenset(_sent(hashes)),
        named=named,
        old=frozenset(
            (replace(name, position=""), owner)
            for name, owner in named.items()
            if name.kind == "log" and name.network != "simulated" and name.position.isdecimal()
        ),
    )


@compiled_once
def _named(
    networks: Collection[str], chains: Collection[str], hashes: Collection[str]
) -> QuerySet[EventOwner, tuple[str, str, str, str, str, str]]:
    rows = EventOwner.objects.filter(network__in=networks, chain__in=chains, tx_hash__in=hashes)
    return rows.values_list("network", "chain", "tx_hash", "kind", "position", "owner")


@compiled_once
def _sent(hashes: Collection[str]) -> QuerySet[TransferAttempt, str]:
    return TransferAttempt.objects.filter(tx_hash__in=hashes).values_list("tx_hash", flat=True)


def taken_places(network: str, chain: str, tx_hash: str) -> set[tuple[str, str]]:
    """The events of a transaction that have an owner: kind and position."""
    rows = EventOwner.objects.filter(network=network, chain=chain, tx_hash=tx_hash)
    return set(rows.values_list("kind", "position"))


def move_event(event: ChainEvent, position: str) -> None:
    """Follow an event to another place in its transaction, as logs are counted anew in another block."""
    EventOwner.objects.filter(**asdict(event)).update(position=position)
