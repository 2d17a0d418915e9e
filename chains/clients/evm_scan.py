"""Finding a payment that nobody reported: the payer closed the page after signing.

Reads, in bounded ranges, what reached the recipient since the leg was issued; which of it is the leg's own is
decided by who examines the transactions.
"""

from dataclasses import dataclass
from typing import Any

from chains.clients.base import IssuedLeg
from chains.clients.evm_calls import native_note
from chains.clients.evm_endpoint import Node
from chains.registry import EVM_NATIVE_ADDRESS

RANGE_BLOCKS = 500
MOST_RANGES = 4
"""In one look; the rest is for the next one."""
MOST_NATIVE_BLOCKS = 40
"""In one look. Why fewer: the native coin leaves no logs, so whole blocks are read."""
MOST_CANDIDATES = 100
"""Transactions opened in one look. Why bounded: anybody can send dust to a merchant's address."""
REORG_BLOCKS = 5
"""Beyond the required confirmations: how far back is searched again."""
_TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
_TAG_BYTES = 16


@dataclass(frozen=True, kw_only=True)
class Found:
    """Transactions worth examining; ``is_complete`` when nothing up to the newest block is left to search."""

    hashes: tuple[str, ...]
    scanned_to: int | None
    is_complete: bool


def search(node: Node, leg: IssuedLeg) -> Found:
    """What may be the leg's payment, from where the last search ended. The newest blocks are searched every time."""
    if leg.start_block is None:
        return Found(hashes=(), scanned_to=leg.scanned_to, is_complete=False)
    first = max(leg.start_block, (leg.scanned_to or 0) + 1)
    is_native = leg.token_address == EVM_NATIVE_ADDRESS
    most = MOST_NATIVE_BLOCKS if is_native else RANGE_BLOCKS * MOST_RANGES
    last = min(node.head, first + most - 1)
    if is_native:
        hashes = _native_payments(node, leg, first, last)
    else:
        hashes, last = _token_payments(node, leg, first, last)
    safe = node.head - node.chain.confirmations_required - REORG_BLOCKS
    scanned_to = max(min(last, safe), leg.scanned_to or 0, leg.start_block - 1)
    return Found(hashes=tuple(hashes), scanned_to=scanned_to, is_complete=last >= node.head)


def _token_payments(node: Node, leg: IssuedLeg, first: int, last: int) -> tuple[list[str], int]:
    """Transactions that carry the tag and moved the token to the recipient, and how far the search came."""
    tail = bytes.fromhex(native_note(leg.tag)[2:])
    opened: dict[str, bool] = {}
    for start in range(first, last + 1, RANGE_BLOCKS):
        for log in _logs(node, leg, start, min(start + RANGE_BLOCKS - 1, last)):
            tx_hash = "0x" + bytes(log["transactionHash"]).hex()
            if tx_hash in opened:
                continue
            if len(opened) == MOST_CANDIDATES:
                return [known for known, is_ours in opened.items() if is_ours], int(log["blockNumber"]) - 1
            opened[tx_hash] = _ends_with(node, tx_hash, tail)
    return [known for known, is_ours in opened.items() if is_ours], last


def _logs(node: Node, leg: IssuedLeg, start: int, end: int) -> list[Any]:
    recipient = "0x" + leg.recipient[2:].lower().rjust(64, "0")
    wanted: Any = {
        "address": leg.token_address,
        "topics": [_TRANSFER_TOPIC, None, recipient],
        "fromBlock": start,
        "toBlock": end,
    }
    return sorted(node.web3.eth.get_logs(wanted), key=lambda log: (log["blockNumber"], log["logIndex"]))


def _ends_with(node: Node, tx_hash: str, tail: bytes) -> bool:
    """Whether a transaction's calldata ends with the tag; what it calls is examined later."""
    transaction: Any = node.web3.eth.get_transaction(tx_hash)  # type: ignore[arg-type]  # any text is a HexStr
    return bytes(transaction["input"])[-_TAG_BYTES:] == tail


def _native_payments(node: Node, leg: IssuedLeg, first: int, last: int) -> list[str]:
    tail = bytes.fromhex(native_note(leg.tag)[2:])
    found = []
    for number in range(first, last + 1):
        block: Any = node.web3.eth.get_block(number, full_transactions=True)
        found += [
            "0x" + bytes(transaction["hash"]).hex()
            for transaction in block["transactions"]
            if transaction["to"] == leg.recipient and bytes(transaction["input"]) == tail
        ]
    return found
