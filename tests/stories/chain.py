"""A chain in memory whose books are the truth of a story: blocks, a pool of pending transactions, reorganisations.

It knows nothing of the service. Amounts are base units; who sent what to whom, and what stands, is read from here.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from threading import RLock
from uuid import UUID

from chains.registry import Chain
from core.clock import now

FINAL_AFTER = 12
"""Blocks. Deeper than what counts (5 on Base), so that a reorganisation can take back what counts."""
TRANSFER_TOPIC = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
_WORD = 32


@dataclass(frozen=True, kw_only=True)
class Event:
    address: str
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(kw_only=True, eq=False)
class Sent:
    """A transaction that somebody sent. ``block`` is where it stands now, if anywhere."""

    tx_hash: str
    sender: str
    nonce: int
    to: str
    calldata: bytes
    value: int = 0
    events: tuple[Event, ...] = ()
    succeeds: bool = True
    block: "Block | None" = None
    payer: str = ""
    """Whose money it moves, where that wallet itself gave it: what may go back there."""
    meant_for: UUID | None = None
    """The intent under whose mark it goes; None without a mark."""


@dataclass(kw_only=True, eq=False)
class Block:
    number: int
    block_hash: str
    timestamp: int
    transactions: list[Sent] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A transfer of a token as the chain's books have it now; ``place`` is its log's index in its block."""

    tx: Sent
    place: int
    token: str
    holder: str
    recipient: str
    units: int


class ModelChain:
    """One chain. Nothing happens by itself: a story mines, drops and reorganises."""

    def __init__(self, known: Chain, rng: Random) -> None:
        self.known = known
        self.lock = RLock()
        """Held by whoever reads or changes: workers may be threads."""
        self.waiting: list[Sent] = []
        self.ever: dict[str, Sent] = {}
        """Everything that was ever sent, by hash, whatever became of it."""
        self._rng = rng
        self._made = 0
        self._endowed: dict[tuple[str, str], int] = {}
        self.blocks = [self._block([])]
        self.mine(FINAL_AFTER + 2)

    @property
    def head(self) -> int:
        return self.blocks[-1].number

    @property
    def final(self) -> int:
        return max(self.head - FINAL_AFTER, 0)

    def endow(self, token: str, holder: str, units: int) -> None:
        self._endowed[token, holder] = self._endowed.get((token, holder), 0) + units

    def send(  # noqa: PLR0913 - what a transaction is made of
        self,
        sender: str,
        to: str,
        calldata: bytes = b"",
        *,
        events: Iterable[Event] = (),
        succeeds: bool = True,
        payer: str = "",
        meant_for: UUID | None = None,
    ) -> Sent:
        with self.lock:
            self._made += 1
            nonce = self.used_nonces(sender) + sum(one.sender == sender for one in self.waiting)
            tx_hash = "0x" + sha256(f"{self._made}|{self._rng.random()}".encode()).hexdigest()
            made = Sent(
                tx_hash=tx_hash, sender=sender, nonce=nonce, to=to, calldata=calldata, events=tuple(events),
                succeeds=succeeds, payer=payer, meant_for=meant_for,
            )  # fmt: skip
            self.waiting.append(made)
            self.ever[tx_hash] = made
            return made

    def submit(self, made: Sent) -> bool:
        """Take a signed transaction; false where its nonce is used. The same one again is already known."""
        with self.lock:
            is_new = self.find(made.tx_hash) is None
            if is_new and made.nonce < self.used_nonces(made.sender):
                return False
            if is_new:
                self.waiting.append(made)
                self.ever[made.tx_hash] = made
            return True

    def mine(self, blocks: int = 1) -> None:
        """Make blocks; the first one takes what waits and is next in its sender's order."""
        with self.lock:
            for _ in range(blocks):
                self.blocks.append(self._block(self._next()))

    def reorganise(self, depth: int, is_dropped: Callable[[Sent], bool], *, later: int = 1) -> list[Sent]:
        """Take the newest blocks back and go on beside them; what is not dropped stands again after so many blocks.

        What is final stays. Returns what was dropped; its nonce is used by a transaction that moves nothing.
        """
        with self.lock:
            keep = max(self.final, self.head - depth)
            gone = [one for block in self.blocks if block.number > keep for one in block.transactions]
            length = self.head - keep
            self.blocks = [block for block in self.blocks if block.number <= keep]
            for one in gone:
                one.block = None
            dropped = [one for one in gone if is_dropped(one)]
            instead = [self._idle(one) if one in dropped else one for one in gone]
            self.mine(later - 1)
            self._rng.shuffle(instead)
            self.waiting = [*instead, *self.waiting]
            self.mine(max(length - later, 0) + 2)
            return dropped

    def lose(self, made: Sent) -> None:
        with self.lock:
            self.waiting = [one for one in self.waiting if one is not made]

    def find(self, tx_hash: str) -> Sent | None:
        """The transaction under this hash, pending ones included."""
        made = self.ever.get(tx_hash.lower())
        is_known = made is not None and (made.block is not None or made in self.waiting)
        return made if is_known else None

    def used_nonces(self, sender: str, upto: int | None = None) -> int:
        last = self.head if upto is None else upto
        return sum(one.sender == sender for block in self.blocks if block.number <= last for one in block.transactions)

    def balance(self, token: str, holder: str) -> int:
        moved = [one for one in self.moved() if one.token == token]
        came = sum(one.units for one in moved if one.recipient == holder)
        went = sum(one.units for one in moved if one.holder == holder)
        return self._endowed.get((token, holder), 0) + came - went

    def moved(self) -> Iterator[Moved]:
        for block in self.blocks:
            place = 0
            for tx in block.transactions:
                for event in tx.events if tx.succeeds else ():
                    if event.topics[0] == TRANSFER_TOPIC:
                        parties = [address_of(topic) for topic in event.topics[1:]]
                        units = int.from_bytes(event.data)
                        yield Moved(
                            tx=tx, place=place, token=event.address, holder=parties[0], recipient=parties[1],
                            units=units,
                        )  # fmt: skip
                    place += 1

    def _next(self) -> list[Sent]:
        """What the next block takes: of each wallet in the order of its nonces, of each nonce what was sent last."""
        newest = {(one.sender, one.nonce): one for one in self.waiting}
        left, taken = list(newest.values()), list[Sent]()
        counts: dict[str, int] = {}
        while ready := [
            one for one in left if one.nonce == counts.setdefault(one.sender, self.used_nonces(one.sender))
        ]:
            taken += ready
            counts |= {one.sender: one.nonce + 1 for one in ready}
            left = [one for one in left if one not in ready]
        self.waiting = [one for one in left if one.nonce > counts[one.sender]]
        return taken

    def _block(self, transactions: list[Sent]) -> Block:
        self._made += 1
        number = self.head + 1 if hasattr(self, "blocks") else 0
        digest = sha256(f"{self.known.name}|block|{self._made}|{self._rng.random()}".encode()).hexdigest()
        before = self.blocks[-1].timestamp + 1 if hasattr(self, "blocks") else 0
        block = Block(
            number=number,
            block_hash="0x" + digest,
            timestamp=max(int(now().timestamp()), before) if number else 0,
            transactions=transactions,
        )
        for one in transactions:
            one.block = block
        return block

    def _idle(self, instead_of: Sent) -> Sent:
        self._made += 1
        digest = sha256(f"idle|{self._made}|{self._rng.random()}".encode()).hexdigest()
        return Sent(
            tx_hash="0x" + digest, sender=instead_of.sender, nonce=instead_of.nonce, to=instead_of.sender, calldata=b"",
        )  # fmt: skip


def transfer_event(token: str, holder: str, recipient: str, units: int) -> Event:
    return Event(
        address=token, topics=(TRANSFER_TOPIC, word_of(holder), word_of(recipient)), data=units.to_bytes(_WORD)
    )


def word_of(address: str) -> bytes:
    return int(address, 16).to_bytes(_WORD)


def address_of(word: bytes) -> str:
    from eth_utils.address import to_checksum_address  # noqa: PLC0415 - slow, and only needed here

    return str(to_checksum_address(word[-20:]))
