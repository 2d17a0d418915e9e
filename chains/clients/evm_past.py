"""What an EVM chain shows of a transfer that this database knows nothing of, since it is older than its payment.

Only what the account itself sent counts. A token transfer carries the transfer's id behind its call, so it is this
very one, or another's. A coin, and a call of before there were marks, look alike for all transfers of one amount.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import TRANSFER_TOPIC
from chains.clients.evm_scan import REORG_BLOCKS, Found, Span, search_blocks, search_logs
from chains.clients.outcomes import CannotSay
from chains.registry import EVM_NATIVE_ADDRESS

MARGIN_SECONDS = 60
"""How far a chain's clock and ours may be apart."""
MOST_STRIDES = 40
"""Each goes back twice as far as the one before: enough for any chain."""
_SUCCEEDED, _WORD = 1, 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What would have paid: a call from a sender to ``to``, with the mark or without. ``known`` are hashes of ours."""

    senders: Sequence[str]
    recipient: str
    token: str
    to: str
    value: int
    marked: bytes
    plain: bytes
    since: datetime
    known: Collection[str] = ()

    def is_marked(self, content: bytes) -> bool:
        """Whether a call carries the mark, over whichever amount: what was forgotten may have been another one."""
        mark = self.marked[len(self.plain) :]
        return bool(mark) and content.endswith(mark)


@dataclass(frozen=True, kw_only=True, slots=True)
class SentEvm:
    """A transaction of the account as the node tells it, with all that its signature is over."""

    tx_hash: str
    sender: str
    to: str
    value: int
    data: bytes
    nonce: int
    gas_limit: int
    max_fee: int
    priority_fee: int
    r: int
    s: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """``own`` carry the transfer's mark; ``maybe`` carry none and are as large, or carry it and are not; to the same
    address.

    Searched were the blocks from ``start`` to ``scanned_to`` for good, and up to the newest if ``is_complete``.
    """

    own: tuple[SentEvm, ...]
    maybe: tuple[str, ...]
    start: int
    scanned_to: int | None
    is_complete: bool


@dataclass(kw_only=True)
class _Search:
    """Takes what may be the payment out of what is found on the way."""

    node: Node
    wanted: Wanted
    own: list[SentEvm] = field(default_factory=list)
    maybe: list[str] = field(default_factory=list)

    def opens(self, tx_hash: str) -> bool:
        """Look at the transaction of a log."""
        return self.takes(self.node.web3.eth.get_transaction(tx_hash))  # type: ignore[arg-type]  # any text is a HexStr

    def takes(self, transaction: Any) -> bool:
        """Look at a transaction."""
        wanted, content = self.wanted, bytes(transaction["input"])
        called = (str(transaction["to"]).lower(), int(transaction["value"]))
        tx_hash = "0x" + bytes(transaction["hash"]).hex()
        is_call = called == (wanted.to.lower(), wanted.value) and (
            content in (wanted.marked, wanted.plain) or wanted.is_marked(content)
        )
        if transaction["from"] not in wanted.senders or not is_call:
            return False
        if tx_hash in wanted.known or not self._stood(tx_hash):
            return False
        if content == wanted.marked != wanted.plain:
            self.own.append(as_sent(transaction))
        else:
            self.maybe.append(tx_hash)
        return True

    def _stood(self, tx_hash: str) -> bool:
        receipt: Any = self.node.web3.eth.get_transaction_receipt(tx_hash)  # type: ignore[arg-type]  # as above
        return bool(receipt["status"] == _SUCCEEDED)


def read_past(node: Node, wanted: Wanted, span: Span) -> Past:
    """What is in the blocks of a span; from the last one before ``wanted.since`` on, where it has no beginning."""
    start = _block_before(node, wanted.since) if span.start is None else span.start
    search, rest = _Search(node=node, wanted=wanted), Span(start=start, scanned_to=span.scanned_to)
    found = _searched(search, rest)
    return Past(
        own=tuple(search.own),
        maybe=tuple(search.maybe),
        start=start,
        scanned_to=found.scanned_to,
        is_complete=found.is_complete,
    )


def read_sent(node: Node, wanted: Wanted, tx_hash: str) -> SentEvm | None:
    """The transaction under a hash, if it stands in a block and would have paid; None for every other one."""
    from web3.exceptions import TransactionNotFound  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    search = _Search(node=node, wanted=wanted)
    try:
        transaction: Any = node.web3.eth.get_transaction(tx_hash)  # type: ignore[arg-type]  # any text is a HexStr
        return as_sent(transaction) if search.takes(transaction) else None
    except TransactionNotFound:
        return None


def as_sent(transaction: Any) -> SentEvm:
    """A transaction with its signature. Raises: CannotSay for a kind that is never signed here."""
    if "maxFeePerGas" not in transaction:
        raise CannotSay("a transaction of another kind")
    return SentEvm(
        tx_hash="0x" + bytes(transaction["hash"]).hex(),
        sender=transaction["from"],
        to=transaction["to"],
        value=int(transaction["value"]),
        data=bytes(transaction["input"]),
        nonce=int(transaction["nonce"]),
        gas_limit=int(transaction["gas"]),
        max_fee=int(transaction["maxFeePerGas"]),
        priority_fee=int(transaction["maxPriorityFeePerGas"]),
        r=int.from_bytes(transaction["r"]),
        s=int.from_bytes(transaction["s"]),
    )


def _searched(search: _Search, span: Span) -> Found:
    """Search from where the senders' nonces show that one of them sent anything; nothing where none did."""
    node, wanted, before = search.node, search.wanted, max(span.start or 0, (span.scanned_to or 0) + 1) - 1
    safe = max(node.head - node.chain.confirmations_required - REORG_BLOCKS, before)
    quiet = max(min(_quiet_until(node, sender, before) for sender in wanted.senders), before)
    if quiet >= node.head:
        return Found(hashes=(), scanned_to=safe, is_complete=True)
    rest = Span(start=span.start, scanned_to=quiet)
    if wanted.token == EVM_NATIVE_ADDRESS:
        found = search_blocks(node, rest, search.takes)  # coins leave no logs
    else:
        senders = [_topic(address) for address in wanted.senders]
        topics: list[Any] = ["0x" + TRANSFER_TOPIC.hex(), senders, _topic(wanted.recipient)]
        found = search_logs(node, rest, {"address": wanted.token, "topics": topics}, search.opens)
    return replace(found, scanned_to=min(found.scanned_to or 0, safe))


def _topic(address: str) -> str:
    return "0x" + int(address, 16).to_bytes(_WORD).hex()


def _quiet_until(node: Node, sender: str, before: int) -> int:
    """The last block up to which an account sent nothing since ``before``, found by halving.

    Why any error: a node without old states cannot tell, and then all is searched.
    """
    first, last = max(before, 0), node.head
    try:
        used = _nonces(node, sender, first)
        if _nonces(node, sender, last) == used:
            return last
        while last - first > 1:
            middle = (first + last) // 2
            first, last = (middle, last) if _nonces(node, sender, middle) == used else (first, middle)
    except Exception:  # noqa: BLE001  (see above)
        return before
    return first


def _nonces(node: Node, sender: str, block: int) -> int:
    return int(node.web3.eth.get_transaction_count(sender, block))  # type: ignore[arg-type]  # checksummed


def _block_before(node: Node, since: datetime) -> int:
    """A block that is older than a moment, found by strides that grow. The chain's first one is, always."""
    wanted = int(since.timestamp()) - MARGIN_SECONDS
    number, stride = node.head, max(int(MARGIN_SECONDS / node.chain.block_seconds), 1)
    for _ in range(MOST_STRIDES):
        if number == 0 or int(node.web3.eth.get_block(number)["timestamp"]) <= wanted:
            return number
        number, stride = max(number - stride, 0), stride * 2
    return 0
