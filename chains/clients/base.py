"""What the service asks of a blockchain, whichever stands behind it: what became of a transaction, what arrived.

Answers are facts of this moment; whether they count is decided by the caller.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from chains.finality import Finality
from core.money import BaseUnits


class SeenStatus(StrEnum):
    """What a node says of a transaction that it knows."""

    PENDING = "pending"
    INCLUDED = "included"
    REVERTED = "reverted"
    REPLACED = "replaced"
    """It can never land: its place among its sender's transactions was taken for good by another one."""


class TransferKind(StrEnum):
    """Where on the chain a transfer is written; with ``position`` it names one event of a transaction."""

    LOG = "log"
    TRACE = "trace"
    ACCOUNT = "account"


class PayerProof(StrEnum):
    """By what a transfer's payer is known. Never a log, which anybody's contract can write. Source: docs/adr/0043."""

    SENDER = "sender"
    """The node names it as the sender of the transfer's own transaction, or of the deposit that a bridge carried."""
    SIGNATURE = "signature"
    """The Solana transaction carries its signature over this very transfer."""
    AUTHORIZATION = "authorization"
    """It signed the EIP-3009 authorization that the transfer used."""
    CALL = "call"
    """It is the wallet that was given the call, and the trace shows that it made it, whoever sent the transaction."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Payer:
    """Who provably sent a transfer: ``nonce`` is that of its own transaction, where its chain counts them.

    Without a ``proof`` nothing is proven, and the transfer is nobody's.
    """

    wallet: str = ""
    nonce: int | None = None
    proof: PayerProof | None = None


NOBODY = Payer()
"""What cannot be proven is nobody's."""
MOST_STRAYS = 20
"""Of one transaction. Why so few: whoever pays can have his own call move as many as he likes."""


class Mark(StrEnum):
    """By what a transfer is a leg's; nothing where it is nobody's. Source: docs/adr/0044."""

    TAG = "tag"
    REFERENCE = "reference"
    ORDER = "order"
    AUTHORIZATION = "authorization"
    EVENT = "event"
    CLAIM = "claim"
    """A wallet's word afterwards; every other one stands in the transaction itself, and is stronger."""
    STRAY = "stray"
    """Another token than was asked for, which the leg's own call brought too: shown beside it, and counts nowhere."""
    NONE = ""

    @property
    def strength(self) -> int:
        """The higher one takes a transfer from the lower one, whoever looked first."""
        return {Mark.NONE: 0, Mark.STRAY: 0, Mark.CLAIM: 1}.get(self, 2)


class BridgeReport(StrEnum):
    """What the route's operator says of an order: a hint for where to look, never a proof.

    ``UNKNOWN`` means that it cannot say; then nothing may be paid a second time.
    """

    WAITING = "waiting"
    UNKNOWN = "unknown"
    DONE = "done"
    REFUNDED = "refunded"
    VOID = "void"
    """It can never deliver any more, as the chain itself proves: the bridge owes the payer its money."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenTransaction:
    """A transaction as a node shows it now.

    Block fields are empty while it is pending. ``tag`` is the mark of the attempt that it carries, so that a
    foreign hash is told from ours. ``nonce`` is its place among its sender's transactions, where chains count them.
    ``tx_hash`` is given where nobody told it, or it is another one than was told. ``carries`` is how much of what was
    asked for it says that it brings, of a transfer that is pending or was claimed and may not count yet; none where a
    call's outcome shows only afterwards.
    """

    status: SeenStatus
    confirmations: int
    block_number: int | None
    block_hash: str
    block_time: datetime | None
    sender: str = ""
    tag: str = ""
    nonce: int | None = None
    tx_hash: str = ""
    carries: BaseUnits | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ObservedTransfer:
    """One movement of one token that stands on the chain now.

    ``chain``, ``tx_hash``, ``kind`` and ``position`` name the event for ever; a reorganisation changes only the
    block around it. ``position`` is the place among the transaction's logs, the trace path or the Solana token account.
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
    is_finalized: bool = False
    """The chain itself calls the block final. Asked only once the block is deep."""
    holder: str = ""
    """Whose balance it left, by the chain's own record; ``sender`` may be somebody who only brought the call."""
    payer: Payer = NOBODY
    mark: Mark = Mark.TAG
    """What makes it the leg's that was asked about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownBlock:
    """Where a credited transaction stood when it was last seen."""

    tx_hash: str
    number: int
    hash: str


@dataclass(frozen=True, kw_only=True, slots=True)
class IssuedCall:
    """The very call that an EVM wallet was given; ``to`` with its checksum, ``value`` in wei."""

    to: str
    value: int
    calldata: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A payer's signed word that the reported transaction was its payment, of exactly so much."""

    signature: bytes
    base_units: BaseUnits


@dataclass(frozen=True, kw_only=True, slots=True)
class IssuedLeg:
    """What a payer's wallet was given to sign, and where to look: all by which its money is recognised.

    ``token_address`` must arrive at ``recipient`` on ``to_chain``. ``tx_hash`` is the wallet's hint, or empty.
    A payment is recognised by its ``tag`` alone where ``call`` is None, by the whole call otherwise, and on Solana by
    its ``reference`` key, while blocks up to ``last_valid_height`` can still hold it. Between chains ``bridge`` names
    the protocol, and ``order_id`` its mark that links both ends, once it is known; from Solana the deposit in the
    ``issued_transaction`` (base64) must be the one that landed.
    ``known_hashes`` are transactions that were credited; ``least_head`` is a height of ``to_chain`` at which a node
    must know them. Blocks from ``start_block`` on count; those up to ``scanned_to`` need not be searched again. The
    ``destination_`` figures say the same of ``to_chain`` where that is another one.
    ``at_stake_usd`` decides how surely the money must stand before it counts; without it, as surely as there is.
    ``at_least`` is the merchant's own wish, which only strengthens that.
    ``known_blocks`` are those of credits that count now: one that is gone must be gone from a block that changed.
    ``settled_hashes`` are transactions whose payment the books call final: what else they brought was looked for.
    ``orders_before`` are those that the call opened on branches that are gone: a fill of one is the merchant's too.
    With ``nothing_older`` no mark makes up for age: what stands before ``start_block`` is not its own.
    What readers found with the leg's marks is ``marked`` on ``chain`` and ``marked_there`` on ``to_chain``; they came
    as far as ``read_to`` and ``there_read_to``. Without one the leg is searched for by itself.
    With an ``authorization`` it is recognised by that EIP-3009 nonce of its sender, whoever sent it, and by no tag.
    ``left_alone`` are parts (``chains.clients.gaps``) that are not to be asked about now, since no node could say, and
    ``given_up`` those that are not waited for either.
    """

    tag: str
    chain: str
    to_chain: str
    sender: str
    recipient: str
    token_address: str
    call: IssuedCall | None = None
    claim: Claim | None = None
    authorization: str = ""
    reference: str = ""
    issued_transaction: str = ""
    last_valid_height: int | None = None
    bridge: str = ""
    order_id: str = ""
    orders_before: tuple[str, ...] = ()
    tx_hash: str = ""
    known_hashes: tuple[str, ...] = ()
    nonce: int | None = None
    start_block: int | None = None
    scanned_to: int | None = None
    destination_start_block: int | None = None
    destination_scanned_to: int | None = None
    least_head: int = 0
    at_stake_usd: Decimal | None = None
    at_least: Finality = Finality.INCLUDED
    known_blocks: tuple[KnownBlock, ...] = ()
    settled_hashes: frozenset[str] = frozenset()
    left_alone: frozenset[str] = frozenset()
    given_up: frozenset[str] = frozenset()
    nothing_older: bool = False
    marked: tuple[str, ...] = ()
    marked_there: tuple[str, ...] = ()
    read_to: int | None = None
    there_read_to: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LegView:
    """Everything the chain and the route's operator say of one leg at this moment.

    ``seen`` is the transaction under the leg's hint; ``transfers`` what arrived, in whichever transaction;
    ``scanned_to`` and ``destination_scanned_to`` the last blocks that need not be searched again. ``checked`` are the
    credited transactions that were asked about: of those alone absence says anything. ``others`` is what else reached
    the recipient inside the leg's own call, and is nobody's by that, or a stray. ``unsaid`` are parts that no node
    could speak of now, each with its reason, and ``unseen`` all of which this view says nothing.
    """

    seen: SeenTransaction | None
    transfers: tuple[ObservedTransfer, ...]
    refund: ObservedTransfer | None
    report: BridgeReport
    order_id: str = ""
    scanned_to: int | None = None
    destination_scanned_to: int | None = None
    checked: frozenset[str] = frozenset()
    others: tuple[ObservedTransfer, ...] = ()
    unsaid: Mapping[str, str] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()

    @property
    def everything(self) -> tuple[ObservedTransfer, ...]:
        """What reached the recipient, whosever it is."""
        return self.transfers + self.others


@dataclass(frozen=True, kw_only=True, slots=True)
class Departure:
    """The payer's side of a leg between chains: its transaction, the order it opened, and who sent it."""

    seen: SeenTransaction | None
    order_id: str = ""
    scanned_to: int | None = None
    payer: Payer = NOBODY
    unsaid: Mapping[str, str] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrival:
    """The merchant's side of a leg between chains.

    ``is_void`` says that the order can never be filled any more, as the chain itself proves.
    """

    transfers: tuple[ObservedTransfer, ...]
    is_void: bool = False
    scanned_to: int | None = None
    unsaid: Mapping[str, str] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()


class ChainClient(Protocol):
    """Reads of chains; called outside any database transaction."""

    def head(self, chain: str) -> int:
        """The number of the newest block. Raises: ChainUnavailable."""

    def look(self, leg: IssuedLeg) -> LegView:
        """What became of a leg. Raises: ChainUnavailable where no node can say; that means nothing but: ask later."""
