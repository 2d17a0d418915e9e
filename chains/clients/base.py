"""What the service asks of a blockchain, whichever stands behind it: what became of a transaction, what arrived.

Answers are facts of this moment; whether they count is decided by the caller.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from core.money import BaseUnits


class SeenStatus(StrEnum):
    """What a node says of a transaction that it knows."""

    PENDING = "pending"
    INCLUDED = "included"
    REVERTED = "reverted"


class TransferKind(StrEnum):
    """Where on the chain a transfer is written; with ``position`` it names one event of a transaction."""

    LOG = "log"
    TRACE = "trace"
    ACCOUNT = "account"


class BridgeReport(StrEnum):
    """What the route's operator says of an order: a hint for where to look, never a proof.

    ``UNKNOWN`` means that it cannot say; then nothing may be paid a second time.
    """

    WAITING = "waiting"
    UNKNOWN = "unknown"
    DONE = "done"
    REFUNDED = "refunded"


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenTransaction:
    """A transaction as a node shows it now.

    Block fields are empty while it is pending. ``tag`` is the mark of the attempt that it carries, so that a
    foreign hash is told from ours.
    """

    status: SeenStatus
    confirmations: int
    block_number: int | None
    block_hash: str
    block_time: datetime | None
    sender: str = ""
    tag: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedTransfer:
    """One movement of one token that stands on the chain now.

    ``chain``, ``tx_hash``, ``kind`` and ``position`` name the event for ever; a reorganisation changes only the
    block around it. ``position`` is the log index, the trace path or the Solana token account.
    """

    chain: str
    tx_hash: str
    kind: TransferKind
    position: str
    token_address: str
    base_units: BaseUnits
    sender: str
    recipient: str
    block_number: int
    block_hash: str
    block_time: datetime
    confirmations: int


class ChainClient(Protocol):
    """Reads of chains; called outside any database transaction."""

    def find_transaction(self, chain: str, tx_hash: str) -> SeenTransaction | None:
        """What the chain's node shows under this hash; None if it knows none."""

    def transfers(self, tag: str) -> list[ObservedTransfer]:
        """What this attempt's leg brought to the recipient, as far as it stands on the chain now."""

    def refund_of(self, tag: str) -> ObservedTransfer | None:
        """What the route gave back to the payer, once it stands on the chain."""

    def bridge_report(self, tag: str) -> BridgeReport:
        """What the route's operator says of this leg."""
