"""Finding a payment that nobody reported: the payer closed the page after signing.

Reads, in bounded ranges, what may be a leg's own since it was issued; which of it is, is decided by who examines it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from chains.clients.base import IssuedLeg
from chains.clients.evm_authorizations import used_topics
from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import TRANSFER_TOPIC, is_issued, may_carry
from chains.clients.outcomes import is_odd
from chains.registry import EVM_NATIVE_ADDRESS

RANGE_BLOCKS = 500
MOST_RANGES = 4
"""In one look; the rest is for the next one."""
MOST_REFUSALS, SHARE = 5, 4
"""How often a range is cut in one look, to a quarter each time, where a node has too much to tell of it."""
MOST_NATIVE_BLOCKS = 40
"""In one look. Why fewer: the native coin leaves no logs, so whole blocks are read."""
MOST_CANDIDATES = 100
"""Transactions opened in one look. Why bounded: anybody can send dust to a merchant's address."""
REORG_BLOCKS = 5
"""Beyond the required confirmations: how far back is searched again."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """Transactions worth examining; ``is_complete`` when nothing up to the newest block is left to search."""

    hashes: tuple[str, ...]
    scanned_to: int | None
    is_complete: bool


def found_by_reader(node: Node, hashes: tuple[str, ...], read_to: int) -> Found:
    """What the chain's reader found. Complete where it came as far as money is believed by its depth."""
    is_complete = read_to >= node.head - node.chain.confirmations_required
    return Found(hashes=hashes, scanned_to=None, is_complete=is_complete)


NOTHING_FOUND = Found(hashes=(), scanned_to=None, is_complete=False)
"""Of a search that no node could make."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """Blocks to search: from ``start`` on, those up to ``scanned_to`` left out."""

    start: int | None
    scanned_to: int | None


def search_payments(node: Node, leg: IssuedLeg) -> Found:
    """What may be the leg's payment to its recipient on the same chain, from where the last search ended."""
    span = Span(start=leg.start_block, scanned_to=leg.scanned_to)
    if leg.authorization:
        used: dict[str, Any] = {"address": leg.token_address, "topics": used_topics(leg)}
        return search_logs(node, span, used, lambda _: True)
    if leg.token_address == EVM_NATIVE_ADDRESS:
        return search_blocks(node, span, lambda transaction: is_issued(transaction, leg))
    recipient = "0x" + leg.recipient[2:].lower().rjust(64, "0")
    wanted = {"address": leg.token_address, "topics": ["0x" + TRANSFER_TOPIC.hex(), None, recipient]}
    return search_logs(node, span, wanted, lambda tx_hash: _may_be_issued(node, tx_hash, leg))


def search_logs(node: Node, span: Span, wanted: dict[str, Any], accepts: Callable[[str], bool]) -> Found:
    """Transactions with such logs that ``accepts`` takes. The newest blocks are searched every time."""
    if span.start is None:
        return Found(hashes=(), scanned_to=span.scanned_to, is_complete=False)
    first, last = _bounds(node, span, RANGE_BLOCKS * MOST_RANGES)
    opened: dict[str, bool] = {}
    searched = first - 1
    for logs, end in _log_ranges(node, wanted, first, last):
        for log in logs:
            tx_hash = "0x" + bytes(log["transactionHash"]).hex()
            if tx_hash in opened:
                continue
            if len(opened) == MOST_CANDIDATES:
                return _found(node, span, _accepted(opened), int(log["blockNumber"]) - 1)
            opened[tx_hash] = accepts(tx_hash)
        searched = end
    return _found(node, span, _accepted(opened), searched)


def search_blocks(node: Node, span: Span, accepts: Callable[[Any], bool]) -> Found:
    """The same over whole blocks, where no logs lead to what is searched; ``accepts`` takes a whole transaction."""
    if span.start is None:
        return Found(hashes=(), scanned_to=span.scanned_to, is_complete=False)
    first, last = _bounds(node, span, MOST_NATIVE_BLOCKS)
    hashes = []
    for number in range(first, last + 1):
        block: Any = node.web3.eth.get_block(number, full_transactions=True)
        hashes += ["0x" + bytes(one["hash"]).hex() for one in block["transactions"] if accepts(one)]
    return _found(node, span, hashes, last)


def _bounds(node: Node, span: Span, most: int) -> tuple[int, int]:
    first = max(_start(node, span), _scanned(node, span) + 1)
    return first, min(node.head, first + most - 1)


def _start(node: Node, span: Span) -> int:
    """Where the search begins: a little back where the start was never there, which a node once said."""
    start = span.start or 0
    return start if node.may_have_been(start) else max(node.head - REORG_BLOCKS * node.chain.confirmations_required, 0)


def _scanned(node: Node, span: Span) -> int:
    """Up to where was searched; nothing where that is yet to come."""
    return span.scanned_to if span.scanned_to is not None and span.scanned_to <= node.head else 0


def _found(node: Node, span: Span, hashes: list[str], last: int) -> Found:
    safe = node.head - node.chain.confirmations_required - REORG_BLOCKS
    scanned_to = max(min(last, safe), _scanned(node, span), _start(node, span) - 1)
    return Found(hashes=tuple(hashes), scanned_to=scanned_to, is_complete=last >= node.head)


def _accepted(opened: dict[str, bool]) -> list[str]:
    return [tx_hash for tx_hash, is_accepted in opened.items() if is_accepted]


def _log_ranges(node: Node, wanted: dict[str, Any], first: int, last: int) -> Iterator[tuple[list[Any], int]]:
    """Logs range by range, each with its last block; shorter ones where the node has too much to tell.

    Raises: NoAnswer where even that does not help.
    """
    start, width, ranges, refusals = first, RANGE_BLOCKS, 0, 0
    while start <= last and ranges < MOST_RANGES:
        end = min(start + width - 1, last)
        try:
            logs = _logs(node, wanted, start, end)
        except Exception as error:
            refusals += 1
            if not is_odd(error) or width == 1 or refusals > MOST_REFUSALS:
                raise
            width = max(min(width, end - start + 1) // SHARE, 1)
            continue
        yield logs, end
        start, ranges = end + 1, ranges + 1


def _logs(node: Node, wanted: dict[str, Any], start: int, end: int) -> list[Any]:
    ranged: Any = {**wanted, "fromBlock": start, "toBlock": end}
    return sorted(node.web3.eth.get_logs(ranged), key=lambda log: (log["blockNumber"], log["logIndex"]))


def _may_be_issued(node: Node, tx_hash: str, leg: IssuedLeg) -> bool:
    """Whether a transaction holds the issued call or the tag; where and how is examined later.

    Why yes where nobody can say: that is told there too, of this one alone.
    """
    if tx_hash in leg.left_alone or tx_hash in leg.given_up:
        return True
    try:
        transaction: Any = node.web3.eth.get_transaction(tx_hash)  # type: ignore[arg-type]  # any text is a HexStr
        return may_carry(transaction, leg)
    except Exception as error:
        if not is_odd(error):
            raise
        return True
