"""A chain in memory whose blocks never change: a branch is another list of them. Its books are the truth of a history.

It knows nothing of the service. Addresses and hashes are text as nodes write it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

FINAL_AFTER, SAFE_AFTER = 12, 8
"""Blocks. Deeper than what counts (5 on Base), so that a branch can take back what counts."""
FIRST_BLOCKS = FINAL_AFTER + 3
"""What stands before a history begins."""
STAYS, DROPPED, NEXT, LATER = range(4)
"""What becomes of a transaction when its block is gone: the same place, none, the next block, two blocks later."""
MOVES = {STAYS: 0, NEXT: 1, LATER: 2}


COIN = "coin"
"""Stands for the address of a token where the chain's own coin moves."""


@dataclass(frozen=True, kw_only=True)
class Moved:
    """One transfer: from whom, to whom, how much of what. ``leg`` is the number of the leg whose mark its call carries.

    None without a mark. ``content`` is what that call says.
    """

    sender: str
    recipient: str
    units: int
    token: str
    content: bytes = b""
    leg: int | None = None

    @property
    def to(self) -> str:
        """Whom it calls."""
        return self.recipient if self.token == COIN else self.token

    @property
    def value(self) -> int:
        """How much of the coin goes with it."""
        return self.units if self.token == COIN else 0


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A transaction. ``moved`` is what it transfers where it succeeds: by itself, or each by one call inside it.

    ``instead_of`` is what lost its place among its sender's transactions to it.
    """

    tx_hash: str
    sender: str
    nonce: int
    to: str
    content: bytes
    moved: tuple[Moved, ...] = ()
    succeeds: bool = True
    instead_of: "Sent | None" = None

    @property
    def inner(self) -> tuple[Moved, ...]:
        """The calls inside it, where it is a batch."""
        return tuple(one for one in self.moved if (one.to, one.content) != (self.to, self.content))

    @property
    def value(self) -> int:
        """How much of the coin it brings to whom it calls."""
        return sum(one.value for one in self.moved if one not in self.inner)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block with its transactions, as long as anybody remembers it."""

    number: int
    block_hash: str
    parent_hash: str
    timestamp: int
    transactions: tuple[Sent, ...] = ()


@dataclass(kw_only=True)
class ModelChain:
    """One chain. Nothing happens by itself: a history sends, mines and branches."""

    began: int
    """The time of its first block, in seconds."""
    blocks: list[Block] = field(default_factory=list)
    waiting: list[Sent] = field(default_factory=list)
    doubted: set[str] = field(default_factory=set)
    """By hash what lost its place for a while, or for good, and what stood among the first blocks."""
    _made: int = 0

    def __post_init__(self) -> None:
        """It is old enough that something is final."""
        for _ in range(FIRST_BLOCKS):
            self._append(self.began, ())

    @property
    def head(self) -> int:
        return self.blocks[-1].number

    @property
    def final(self) -> int:
        return final_of(self.blocks)

    def send(self, sender: str, to: str, content: bytes, moved: tuple[Moved, ...], *, succeeds: bool = True) -> Sent:
        """Let a wallet send what then waits for its block."""
        used = nonces_in(self.blocks, sender) + sum(one.sender == sender for one in self.waiting)
        made = Sent(
            tx_hash=self._hash("transaction"), sender=sender, nonce=used, to=to, content=content, moved=moved,
            succeeds=succeeds,
        )  # fmt: skip
        self.waiting.append(made)
        return made

    def mine(self, timestamp: int) -> None:
        """Make a block of all that waits."""
        self._append(timestamp, self.waiting)
        self.waiting = []

    def branch(self, depth: int, fates: Sequence[int], beside: Sequence[Sequence[Sent]], timestamp: int) -> None:
        """Take the newest blocks back, never a final one, and make one more beside them than there were.

        What stood in them goes by ``fates``, one after the other and over again; what waited stands in the first of the
        new ones. ``beside`` says what others' new transactions come first in each.
        """
        keep = max(self.final, self.head - depth)
        gone = [(block.number, one) for block in self.blocks if block.number > keep for one in block.transactions]
        length = self.head - keep
        del self.blocks[keep + 1 :]
        ways = [fates[place % len(fates)] if fates else STAYS for place in range(len(gone))]
        placed = self._placed(
            [*gone, *((keep + 1, one) for one in self.waiting)], [*ways, *(STAYS for _ in self.waiting)]
        )
        for place in range(length + 1):
            number = keep + 1 + place
            self._append(timestamp, [*beside[place], *(one for at, one in placed if at == number)])
        self.waiting = [one for at, one in placed if at > self.head]

    def stray(self, moved: Moved) -> Sent:
        """Somebody's transaction that has nothing to do with anybody, for a block that is made right now."""
        return Sent(
            tx_hash=self._hash("stray"),
            sender=moved.sender,
            nonce=self._made,
            to=moved.token,
            content=moved.content,
            moved=(moved,),
        )

    def moved(self) -> Iterator[tuple[Sent, Moved]]:
        """Every transfer that stands, in the chain's order."""
        for block in self.blocks:
            for one in block.transactions:
                for transfer in one.moved if one.succeeds else ():
                    yield one, transfer

    def _placed(self, gone: list[tuple[int, Sent]], ways: list[int]) -> list[tuple[int, Sent]]:
        """What goes where now: each wallet's transactions keep their order, for their numbers do."""
        least: dict[str, int] = {}
        placed = []
        for (number, one), way in zip(gone, ways, strict=True):
            kept = self._other(one) if way == DROPPED else one
            at = max(number + MOVES.get(way, 0), least.get(one.sender, 0))
            least[one.sender] = at
            placed.append((at, kept))
        return placed

    def _other(self, one: Sent) -> Sent:
        """What takes its place: one that moves nothing, or what that one had taken the place of."""
        if one.instead_of is not None:
            return one.instead_of
        self.doubted.add(one.tx_hash)
        return Sent(
            tx_hash=self._hash("idle"), sender=one.sender, nonce=one.nonce, to=one.sender, content=b"", instead_of=one
        )

    def _append(self, timestamp: int, transactions: Iterable[Sent]) -> None:
        listed = tuple(transactions)
        if len(self.blocks) < FIRST_BLOCKS:
            self.doubted.update(one.tx_hash for one in listed)
        self.blocks.append(self._make(max(timestamp, self.blocks[-1].timestamp + 1 if self.blocks else 0), listed))

    def _make(self, timestamp: int, transactions: tuple[Sent, ...]) -> Block:
        """The next block."""
        return Block(
            number=len(self.blocks),
            block_hash=self._hash("block"),
            parent_hash=self.blocks[-1].block_hash if self.blocks else "0x" + "0" * 64,
            timestamp=timestamp,
            transactions=transactions,
        )

    def _hash(self, kind: str) -> str:
        self._made += 1
        return "0x" + sha256(f"{kind} {self._made}".encode()).hexdigest()


def final_of(blocks: Sequence[Block]) -> int:
    """The newest block that cannot go any more."""
    return max(len(blocks) - 1 - FINAL_AFTER, 0)


def nonces_in(blocks: Iterable[Block], sender: str) -> int:
    """How many transactions of a wallet stand."""
    return sum(one.sender == sender for block in blocks for one in block.transactions)
