"""One transaction as one node shows it: whether it is the issued one, where it stands, and which transfers it made."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from chains.clients.base import (
    MOST_STRAYS,
    NOBODY,
    IssuedLeg,
    Mark,
    ObservedTransfer,
    Payer,
    PayerProof,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.clients.evm_authorizations import authorized_logs, carries_authorization
from chains.clients.evm_calls import native_note, read_token_transfer
from chains.clients.evm_claims import claimed_logs, is_claimed, may_count
from chains.clients.evm_endpoint import Node
from chains.clients.evm_trace import Frame, frames_of, inside, outermost
from chains.clients.outcomes import CannotSay, EndpointFault
from chains.registry import EVM_NATIVE_ADDRESS
from core.money import BaseUnits

TRANSFER_TOPIC = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
_TOPICS, _WORD, _ADDRESS = 3, 32, 20
_SUCCEEDED = 1
MOST_TRANSFERS = 20
"""Of one transaction."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A transaction that the node knows. ``receipt`` is None until it is in a block.

    ``seen.tag`` is the leg's tag if this is what its wallet was given, and empty otherwise. ``logs`` are those that
    the issued call wrote. ``inner`` is that call and all below it, where it is one of several in the transaction; each
    of them where a transfer was made more than once.
    ``payer`` is whose payment it is, where that is proven; ``mark`` is by what it is the leg's. ``waits``: it is, but
    counts only once its block is final.
    """

    transaction: Any
    receipt: Any
    seen: SeenTransaction
    logs: tuple[Any, ...] = ()
    inner: tuple[Frame, ...] | None = None
    payer: Payer = NOBODY
    mark: Mark = Mark.TAG
    waits: bool = False

    @property
    def is_standing(self) -> bool:
        """Whether it is the leg's own, stands in a block, and succeeded."""
        return bool(self.seen.tag) and self.seen.status == SeenStatus.INCLUDED

    @property
    def tx_hash(self) -> str:
        """Its hash as text."""
        return "0x" + bytes(self.transaction["hash"]).hex()


def read_transaction(node: Node, leg: IssuedLeg, tx_hash: str) -> Reading | None:
    """The transaction under a hash; None where the node knows none, or it is not under way.

    Raises: EndpointFault where the node contradicts itself.
    """
    transaction, receipt = _fetch(node, tx_hash)
    if transaction is None:
        return None
    pending = replace(
        nowhere(leg, SeenStatus.PENDING),
        tag="",
        sender=transaction["from"],
        nonce=transaction["nonce"] if transaction["from"] == leg.sender else None,
    )
    if receipt is None:
        return _pending(node, leg, Reading(transaction=transaction, receipt=None, seen=pending))
    seen = _included(node, leg, receipt, pending)
    if leg.start_block is None or (leg.nothing_older and is_older(node, leg, int(receipt["blockNumber"]))):
        return Reading(transaction=transaction, receipt=receipt, seen=seen)
    return _own_part(node, leg, Reading(transaction=transaction, receipt=receipt, seen=seen))


def is_older(node: Node, leg: IssuedLeg, number: int) -> bool:
    """Whether a block was there before the leg."""
    start = leg.start_block
    return start is not None and number < start and node.may_have_been(start)


def _pending(node: Node, leg: IssuedLeg, reading: Reading) -> Reading | None:
    """One that waits for its block. Why None for several calls in one: what is among them shows only afterwards.

    Why None for one that others sent, or that cannot be the wallet's next: it costs nothing, and may wait for ever.
    Why None for one that its wallet claims: it may count once its block is final, and is nobody else's until then.
    """
    if leg.authorization:
        is_own = carries_authorization(reading.transaction, leg)
        return replace(reading, seen=_marked(reading.seen, leg, reading.tx_hash)) if is_own else reading
    if is_issued(reading.transaction, leg):
        sent, count = reading.transaction, node.web3.eth.get_transaction_count
        # Nothing of its sender must land before it.
        is_next = sent["from"] == leg.sender and int(sent["nonce"]) <= int(count(sent["from"], "latest"))
        seen = replace(_marked(reading.seen, leg, reading.tx_hash), carries=_carried(reading.transaction, leg))
        return replace(reading, seen=seen) if is_next else None
    may_be_own = may_carry(reading.transaction, leg) or is_claimed(reading.transaction, leg, reading.tx_hash)
    return None if may_be_own else reading


def _carried(transaction: Any, leg: IssuedLeg) -> BaseUnits | None:
    """How much a transfer that waits for its block is of."""
    if leg.call is not None:
        return None
    if leg.token_address == EVM_NATIVE_ADDRESS:
        return BaseUnits(int(transaction["value"]))
    call = read_token_transfer(bytes(transaction["input"]))
    return None if call is None else call.base_units


def _own_part(node: Node, leg: IssuedLeg, reading: Reading) -> Reading:
    """The same, with what of it is the leg's own: all, some calls among several, or nothing."""
    tx_hash, logs = reading.tx_hash, tuple(reading.receipt["logs"])
    if leg.authorization:
        return _authorized_part(leg, reading)
    if not may_carry(reading.transaction, leg):
        # Why by age: what carries no mark may be of any time; what carries one was made after the leg.
        is_old = is_older(node, leg, int(reading.receipt["blockNumber"]))
        return reading if is_old else _claimed_part(node, leg, reading)
    if not succeeded(reading.receipt):
        # Why only the payer's own: anybody could send a failing transaction with these bytes inside.
        is_payers = reading.transaction["from"] == leg.sender
        return replace(reading, seen=_marked(reading.seen, leg, tx_hash)) if is_payers else reading
    if is_issued(reading.transaction, leg):
        return replace(reading, seen=_marked(reading.seen, leg, tx_hash), logs=logs, payer=_sender(reading))
    frames = frames_of(node, tx_hash)
    if frames is None:
        raise CannotSay("no traces")
    own = _issued_frames(frames, leg)
    if not own:
        return reading
    callers = {_caller(frame, leg) for frame in own}
    return replace(
        reading,
        seen=_marked(reading.seen, leg, tx_hash),
        logs=tuple(log for frame in own for log in logs[frame.logs.start : frame.logs.stop]),
        inner=tuple(inside(frames, own)),
        payer=callers.pop() if len(callers) == 1 else NOBODY,
    )


def _sender(reading: Reading) -> Payer:
    """Who sent a transaction whose one call is the payment: whoever that is, its own money moved."""
    sent = reading.transaction
    return Payer(wallet=str(sent["from"]), nonce=int(sent["nonce"]), proof=PayerProof.SENDER)


def _caller(own: Frame, leg: IssuedLeg) -> Payer:
    """The wallet that the call was given to, where it made the call itself, as a smart account does; else nobody.

    Why never who sent the transaction: bundlers carry others' calls. Why never another caller: a contract that anybody
    can use makes calls for everybody, and what is sent there is anybody's.
    """
    return Payer(wallet=leg.sender, proof=PayerProof.CALL) if own.sender == leg.sender.lower() else NOBODY


def _authorized_part(leg: IssuedLeg, reading: Reading) -> Reading:
    """The same, with the one transfer that the leg's authorization made; or the wallet's own try that failed."""
    own = authorized_logs(reading.receipt["logs"], leg)
    is_failed = not succeeded(reading.receipt) and carries_authorization(reading.transaction, leg)
    if not arrivals(own, leg) and not is_failed:
        return reading
    payer = Payer(wallet=leg.sender, proof=PayerProof.AUTHORIZATION)
    seen = _marked(reading.seen, leg, reading.tx_hash)
    return replace(reading, seen=seen, logs=own, payer=payer, mark=Mark.AUTHORIZATION)


def _claimed_part(node: Node, leg: IssuedLeg, reading: Reading) -> Reading:
    """The same, with the one transfer that the payer's wallet signed to be this payment; nothing without that."""
    if not succeeded(reading.receipt) or not is_claimed(reading.transaction, leg, reading.tx_hash):
        return reading
    own = claimed_logs(arrivals(reading.receipt["logs"], leg), leg)
    if not own and leg.token_address != EVM_NATIVE_ADDRESS:
        return reading
    waits = not may_count(node, leg, reading.receipt, reading.tx_hash)
    seen, payer = _marked(reading.seen, leg, reading.tx_hash), _sender(reading)
    if waits and leg.claim is not None:
        seen = replace(seen, carries=leg.claim.base_units)
    return replace(reading, seen=seen, logs=tuple(own), payer=payer, mark=Mark.CLAIM, waits=waits)


def _marked(seen: SeenTransaction, leg: IssuedLeg, tx_hash: str) -> SeenTransaction:
    return replace(seen, tag=leg.tag, tx_hash=tx_hash.lower())


def read_receipt(node: Node, tx_hash: str) -> Any:
    """The receipt under a hash, checked against its block; None where the node knows none. Raises: EndpointFault."""
    _, receipt = _fetch(node, tx_hash)
    return receipt


def is_issued(transaction: Any, leg: IssuedLeg) -> bool:
    """Whether this is what the wallet was given: the very call, or for a transfer contract, recipient and tag.

    Why a transfer's amount does not matter: what its logs say arrived is what counts.
    """
    return _is_issued_call(transaction["to"], int(transaction["value"]), bytes(transaction["input"]), leg)


def may_carry(transaction: Any, leg: IssuedLeg) -> bool:
    """Whether the issued call may be one of several that a wallet sent as one: its bytes are inside."""
    mark = bytes.fromhex(native_note(leg.tag)[2:]) if leg.call is None else leg.call.calldata
    return mark in bytes(transaction["input"])


def _issued_frames(frames: list[Frame], leg: IssuedLeg) -> list[Frame]:
    """The calls in a transaction that are the issued one: each of a transfer, the first of a router.

    Why one of a router: its event names one arrival. Why so few of a transfer: as with strays.
    """
    from eth_utils.address import to_checksum_address  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    issued = [
        frame
        for frame in frames
        if frame.is_plain_call
        and len(frame.to) == len(EVM_NATIVE_ADDRESS)
        and _is_issued_call(to_checksum_address(frame.to), frame.value, frame.calldata, leg)
    ]
    return outermost(issued)[: MOST_TRANSFERS if leg.call is None else 1]


def _is_issued_call(to: str | None, value: int, calldata: bytes, leg: IssuedLeg) -> bool:
    if leg.call is not None:
        return (to, value, calldata) == (leg.call.to, leg.call.value, leg.call.calldata)
    if leg.token_address == EVM_NATIVE_ADDRESS:
        return to == leg.recipient and calldata == bytes.fromhex(native_note(leg.tag)[2:]) and value > 0
    call = read_token_transfer(calldata)
    return (
        call is not None
        and to == leg.token_address
        and (call.recipient, call.tag) == (leg.recipient.lower(), leg.tag)
        and call.base_units > 0
    )


def arrivals(logs: Iterable[Any], leg: IssuedLeg) -> list[Any]:
    """Transfer logs of more than nothing, from the registered contract, to exactly this recipient, but from itself."""
    return [log for log in _to_recipient(logs, leg) if log["address"] == leg.token_address]


def strays(logs: Iterable[Any], leg: IssuedLeg) -> list[Any]:
    """The same of other contracts."""
    return [log for log in _to_recipient(logs, leg) if log["address"] != leg.token_address][:MOST_STRAYS]


def _to_recipient(logs: Iterable[Any], leg: IssuedLeg) -> list[Any]:
    recipient = int(leg.recipient, 16).to_bytes(_WORD)
    return [
        log
        for log in logs
        if len(log["topics"]) == _TOPICS
        and bytes(log["topics"][0]) == TRANSFER_TOPIC
        and bytes(log["topics"][2]) == recipient
        and bytes(log["topics"][1]) != recipient
        and len(log["data"]) == _WORD
        and int.from_bytes(log["data"]) > 0
    ]


def logged_transfer(node: Node, leg: IssuedLeg, receipt: Any, log: Any, sender: str) -> ObservedTransfer:
    """A transfer log as the service credits it, at its place among the logs of its own transaction.

    Why not by the log index: that counts the whole block's, and is another one on another branch.
    """
    from eth_utils.address import to_checksum_address  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    place = (TransferKind.LOG, f"+{int(log['logIndex']) - int(receipt['logs'][0]['logIndex'])}")
    seen = observed(node, leg, receipt, place, int.from_bytes(log["data"]), sender)
    return replace(seen, holder=str(to_checksum_address(bytes(log["topics"][1])[-_ADDRESS:])))


def observed(  # noqa: PLR0913, PLR0917 - each is a fact of its own
    node: Node, leg: IssuedLeg, receipt: Any, place: tuple[TransferKind, str], units: int, sender: str
) -> ObservedTransfer:
    """A transfer at its place in a transaction. Raises: EndpointFault where the block contradicts the receipt."""
    block = _block_of(node, receipt)
    return ObservedTransfer(
        chain=leg.to_chain,
        tx_hash="0x" + bytes(receipt["transactionHash"]).hex(),
        kind=place[0],
        position=place[1],
        token_address=leg.token_address,
        base_units=BaseUnits(units),
        sender=sender,
        recipient=leg.recipient,
        block_number=int(receipt["blockNumber"]),
        block_hash="0x" + bytes(receipt["blockHash"]).hex(),
        block_time=datetime.fromtimestamp(block["timestamp"], UTC),
        confirmations=node.depth(int(receipt["blockNumber"]), leg.at_stake_usd, leg.at_least),
        is_finalized=node.is_finalized(int(receipt["blockNumber"])),
    )


def nowhere(leg: IssuedLeg, status: SeenStatus) -> SeenTransaction:
    """The leg's transaction while it stands in no block."""
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


def succeeded(receipt: Any) -> bool:
    """Whether the transaction did what it was to do."""
    return bool(receipt["status"] == _SUCCEEDED)


def _fetch(node: Node, tx_hash: str) -> tuple[Any, Any]:
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


def _block_of(node: Node, receipt: Any) -> Any:
    """The block around a receipt. Raises: EndpointFault where the node contradicts itself, as while reorganising."""
    number = int(receipt["blockNumber"])
    block = node.block(number)
    if block["hash"] != receipt["blockHash"] or number > node.head:
        raise EndpointFault("a receipt of another block")
    return block


def _included(node: Node, leg: IssuedLeg, receipt: Any, pending: SeenTransaction) -> SeenTransaction:
    block, number = _block_of(node, receipt), int(receipt["blockNumber"])
    return replace(
        pending,
        status=SeenStatus.INCLUDED if succeeded(receipt) else SeenStatus.REVERTED,
        confirmations=node.depth(number, leg.at_stake_usd, leg.at_least),
        block_number=number,
        block_hash="0x" + bytes(receipt["blockHash"]).hex(),
        block_time=datetime.fromtimestamp(block["timestamp"], UTC),
    )
