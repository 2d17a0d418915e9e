"""What became of a direct payment on an EVM chain, read from one node: verify what is known, search for the rest.

Only a transaction that calls the registered token contract with the issued recipient and tag is ours, and only what
its receipt's logs say arrived counts. Source: chains, Verifier; rulings, Credit only what is inside the tagged call.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from chains.clients.base import (
    BridgeReport,
    IssuedLeg,
    LegView,
    ObservedTransfer,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.clients.evm_calls import native_note, read_token_transfer
from chains.clients.evm_endpoint import EndpointFault, Node
from chains.clients.evm_scan import Found, search
from chains.registry import EVM_NATIVE_ADDRESS
from core.money import BaseUnits

TRANSFER_TOPIC = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
_TOPICS, _WORD, _ADDRESS = 3, 32, 20
_SUCCEEDED = 1


@dataclass(frozen=True, kw_only=True)
class _Examined:
    seen: SeenTransaction | None
    transfers: tuple[ObservedTransfer, ...] = ()


def look_at(node: Node, leg: IssuedLeg) -> LegView:
    """What the chain shows of a leg now."""
    named = dict.fromkeys(tx_hash for tx_hash in (leg.tx_hash, *leg.known_hashes) if tx_hash)
    examined = {tx_hash: _examine(node, leg, tx_hash) for tx_hash in named}
    found = search(node, leg)
    examined |= {tx_hash: _examine(node, leg, tx_hash) for tx_hash in found.hashes if tx_hash not in examined}
    transfers = tuple(transfer for one in examined.values() for transfer in one.transfers)
    seen = examined[leg.tx_hash].seen if leg.tx_hash else None
    if seen is None and not transfers and _is_replaced(node, leg, found):
        seen = _nowhere(leg, SeenStatus.REPLACED)
    report = BridgeReport.DONE if transfers else BridgeReport.WAITING
    return LegView(seen=seen, transfers=transfers, refund=None, report=report, scanned_to=found.scanned_to)


def _examine(node: Node, leg: IssuedLeg, tx_hash: str) -> _Examined:
    """One transaction, and what it brought if it is the leg's own."""
    transaction, receipt = _read(node, tx_hash)
    if transaction is None:
        return _Examined(seen=None)
    is_ours = _is_issued(transaction, leg)
    pending = replace(
        _nowhere(leg, SeenStatus.PENDING),
        tag=leg.tag if is_ours else "",
        sender=transaction["from"],
        nonce=transaction["nonce"] if transaction["from"] == leg.sender else None,
    )
    if receipt is None:
        return _Examined(seen=pending)
    seen = _included(node, receipt, pending)
    if not is_ours or leg.start_block is None or receipt["blockNumber"] < leg.start_block:
        return _Examined(seen=replace(seen, tag=""))
    transfers = _transfers(transaction, receipt, seen, leg) if seen.status == SeenStatus.INCLUDED else ()
    # Why: a call that succeeded and moved nothing is over like one that failed.
    return _Examined(seen=seen if transfers else replace(seen, status=SeenStatus.REVERTED), transfers=transfers)


def _read(node: Node, tx_hash: str) -> tuple[Any, Any]:
    """A transaction and its receipt, as far as the node knows them."""
    from web3.exceptions import TransactionNotFound  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    try:
        transaction: Any = node.web3.eth.get_transaction(tx_hash)  # type: ignore[arg-type]  # any text is a HexStr
    except TransactionNotFound:
        return None, None
    if "0x" + bytes(transaction["hash"]).hex() != tx_hash.lower():
        raise EndpointFault("another transaction than was asked for")
    try:
        return transaction, node.web3.eth.get_transaction_receipt(tx_hash)  # type: ignore[arg-type]  # as above
    except TransactionNotFound:
        return transaction, None


def _is_issued(transaction: Any, leg: IssuedLeg) -> bool:
    """Whether this is the call that was issued: contract, recipient and tag. The amount is what the logs say."""
    calldata = bytes(transaction["input"])
    if leg.token_address == EVM_NATIVE_ADDRESS:
        is_tagged = calldata == bytes.fromhex(native_note(leg.tag)[2:])
        return transaction["to"] == leg.recipient and is_tagged and transaction["value"] > 0
    call = read_token_transfer(calldata)
    return (
        call is not None
        and transaction["to"] == leg.token_address
        and (call.recipient, call.tag) == (leg.recipient.lower(), leg.tag)
        and call.base_units > 0
    )


def _included(node: Node, receipt: Any, pending: SeenTransaction) -> SeenTransaction:
    """Where it stands. Raises: EndpointFault where the node contradicts itself, as during a reorganisation."""
    number = int(receipt["blockNumber"])
    block = node.web3.eth.get_block(number)
    if block["hash"] != receipt["blockHash"] or number > node.head:
        raise EndpointFault("a receipt of another block")
    return replace(
        pending,
        status=SeenStatus.INCLUDED if receipt["status"] == _SUCCEEDED else SeenStatus.REVERTED,
        confirmations=node.depth(number),
        block_number=number,
        block_hash="0x" + bytes(receipt["blockHash"]).hex(),
        block_time=datetime.fromtimestamp(block["timestamp"], UTC),
    )


def _transfers(transaction: Any, receipt: Any, seen: SeenTransaction, leg: IssuedLeg) -> tuple[ObservedTransfer, ...]:
    """What arrived, by the logs of the registered contract; the native coin leaves none and counts by its value."""
    tx_hash = "0x" + bytes(receipt["transactionHash"]).hex()
    if leg.token_address == EVM_NATIVE_ADDRESS:
        return (_transfer(leg, seen, tx_hash, (TransferKind.TRACE, "0"), int(transaction["value"])),)
    return tuple(
        _transfer(leg, seen, tx_hash, (TransferKind.LOG, str(log["logIndex"])), int.from_bytes(log["data"]))
        for log in _arrivals(receipt["logs"], leg)
    )


def _arrivals(logs: Iterable[Any], leg: IssuedLeg) -> list[Any]:
    """Transfer logs of more than nothing, from the registered contract, to exactly this recipient."""
    recipient = int(leg.recipient, 16).to_bytes(_WORD)
    return [
        log
        for log in logs
        if log["address"] == leg.token_address
        and len(log["topics"]) == _TOPICS
        and bytes(log["topics"][0]) == TRANSFER_TOPIC
        and bytes(log["topics"][2]) == recipient
        and len(log["data"]) == _WORD
        and int.from_bytes(log["data"]) > 0
    ]


def _transfer(
    leg: IssuedLeg, seen: SeenTransaction, tx_hash: str, place: tuple[TransferKind, str], units: int
) -> ObservedTransfer:
    assert seen.block_number is not None and seen.block_time is not None  # noqa: S101, PT018 - it is included
    kind, position = place
    return ObservedTransfer(
        chain=leg.to_chain,
        tx_hash=tx_hash,
        kind=kind,
        position=position,
        token_address=leg.token_address,
        base_units=BaseUnits(units),
        sender=seen.sender,
        recipient=leg.recipient,
        block_number=seen.block_number,
        block_hash=seen.block_hash,
        block_time=seen.block_time,
        confirmations=seen.confirmations,
    )


def _is_replaced(node: Node, leg: IssuedLeg, found: Found) -> bool:
    """Whether another transaction took the place of the one that was seen, for good, and ours is nowhere."""
    if leg.nonce is None or not found.is_complete:
        return False
    settled = max(node.head - node.chain.confirmations_required, 0)
    return node.web3.eth.get_transaction_count(leg.sender, settled) > leg.nonce  # type: ignore[arg-type]  # checksummed


def _nowhere(leg: IssuedLeg, status: SeenStatus) -> SeenTransaction:
    return SeenTransaction(
        status=status,
        confirmations=0,
        block_number=None,
        block_hash="",
        block_time=None,
        sender=leg.sender,
        tag=leg.tag,
        nonce=leg.nonce,
    )
