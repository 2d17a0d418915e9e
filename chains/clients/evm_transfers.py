"""What became of a leg on one EVM chain, read from one node: verify what is known, search for the rest.

Only the transaction that the wallet was given is the leg's own, and only what its receipt's logs say arrived counts.
Source: docs/live.md, How a payment is recognised.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from chains.clients.base import (
    MOST_STRAYS,
    BridgeReport,
    IssuedLeg,
    LegView,
    Mark,
    ObservedTransfer,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.clients.evm_completions import completed_frame, completed_log, completion_of
from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import (
    Reading,
    arrivals,
    logged_transfer,
    nowhere,
    observed,
    read_transaction,
    strays,
)
from chains.clients.evm_scan import NOTHING_FOUND, Found, found_by_reader, search_payments
from chains.clients.evm_trace import Frame, coins_received, frames_of
from chains.clients.gaps import SEARCH, Gaps
from chains.clients.outcomes import CannotSay, EndpointFault
from chains.registry import EVM_NATIVE_ADDRESS

_LOGGER = logging.getLogger("causeway.chains")


@dataclass(frozen=True, kw_only=True)
class _Examined:
    seen: SeenTransaction | None
    transfers: tuple[ObservedTransfer, ...] = ()
    others: tuple[ObservedTransfer, ...] = ()
    reading: Reading | None = None
    """Where it brought the leg's own."""


def look_at(node: Node, leg: IssuedLeg) -> LegView:
    """What the chain shows of a leg now, transaction by transaction: what one hides is not hidden by another."""
    gaps = Gaps(leg=leg)
    if leg.read_to is None:
        found = gaps.tried(SEARCH, lambda: search_payments(node, leg)) or NOTHING_FOUND
    else:
        found = found_by_reader(node, leg.marked, leg.read_to)
    hashes = dict.fromkeys(tx_hash for tx_hash in (leg.tx_hash, *leg.known_hashes, *found.hashes) if tx_hash)
    looked = {tx_hash: gaps.tried(tx_hash, partial(_examine, node, leg, tx_hash)) for tx_hash in hashes}
    examined = {tx_hash: one for tx_hash, one in looked.items() if one is not None}
    transfers = tuple(transfer for one in examined.values() for transfer in one.transfers)
    assert_not_hidden(node, leg, transfers, gaps.parts)
    seen = _followed(leg, examined)
    if seen is None and not transfers and not gaps.is_open and is_replaced(node, leg, found):
        seen = nowhere(leg, SeenStatus.REPLACED)
    report = BridgeReport.DONE if transfers else BridgeReport.WAITING
    readings = [one.reading for one in examined.values() if one.reading is not None]
    others = [transfer for one in examined.values() for transfer in one.others] + _stray_coins(node, leg, readings)
    return LegView(
        seen=seen,
        transfers=transfers,
        refund=None,
        report=report,
        scanned_to=found.scanned_to,
        others=tuple(others),
        unsaid=gaps.unsaid,
        unseen=gaps.parts,
    )


def _followed(leg: IssuedLeg, examined: Mapping[str, _Examined]) -> SeenTransaction | None:
    """The transaction to follow: the one that was told, unless it failed and another one paid.

    Why: a payer sends again in his wallet what failed, and tells nobody.
    """
    named = examined[leg.tx_hash].seen if leg.tx_hash in examined else None
    if named is None or named.status != SeenStatus.REVERTED:
        return named
    return next((one.seen for one in examined.values() if one.transfers), named)


def assert_not_hidden(
    node: Node, leg: IssuedLeg, transfers: Iterable[ObservedTransfer], unseen: frozenset[str] = frozenset()
) -> None:
    """What was credited may be gone only with its block; of what is ``unseen`` nothing is concluded.

    Raises: EndpointFault where the block still stands and its transaction is not shown. Why: a node that lost an index
    or lies must not undo a payment.
    """
    shown = {transfer.tx_hash for transfer in transfers} | unseen
    for known in leg.known_blocks:
        if known.tx_hash not in shown and known.number <= node.head:
            block = node.web3.eth.get_block(known.number)
            if "0x" + bytes(block["hash"]).hex() == known.hash:
                raise EndpointFault("a payment is missing from a block that stands")


def is_replaced(node: Node, leg: IssuedLeg, found: Found) -> bool:
    """Whether another transaction took the place of the one that was seen, for good, and ours is nowhere."""
    if leg.nonce is None or not found.is_complete:
        return False
    settled = max(node.head - node.chain.confirmations_required, 0)
    return node.web3.eth.get_transaction_count(leg.sender, settled) > leg.nonce  # type: ignore[arg-type]  # checksummed


def _examine(node: Node, leg: IssuedLeg, tx_hash: str) -> _Examined:
    """One transaction, and what it brought if it is the leg's own."""
    reading = read_transaction(node, leg, tx_hash)
    if reading is None:
        return _Examined(seen=None)
    if not reading.is_standing or reading.waits:
        return _Examined(seen=reading.seen)
    moved = [replace(one, payer=reading.payer) for one in _moved(node, leg, reading)]
    transfers = tuple(one for one in moved if one.mark)
    # Why: a call that succeeded and moved nothing is over like one that failed.
    seen = reading.seen if transfers else replace(reading.seen, status=SeenStatus.REVERTED)
    others = [*(one for one in moved if not one.mark), *_stray_tokens(node, leg, reading)]
    return _Examined(seen=seen, transfers=transfers, others=tuple(others), reading=reading if transfers else None)


def _stray_tokens(node: Node, leg: IssuedLeg, reading: Reading) -> list[ObservedTransfer]:
    """Other tokens that the issued call brought to the recipient, as an exchange's leftover does."""
    sender = reading.seen.sender
    found = [(log, logged_transfer(node, leg, reading.receipt, log, sender)) for log in strays(reading.logs, leg)]
    return [replace(one, token_address=str(log["address"]), mark=Mark.STRAY, payer=reading.payer) for log, one in found]


def _stray_coins(node: Node, leg: IssuedLeg, readings: Iterable[Reading]) -> list[ObservedTransfer]:
    """The native coin that an issued exchange brought to the recipient beside a token; nothing where no trace is had.

    Why once, when the block is final and the books do not call it so yet: a trace is dear, and a payment is looked at
    for long afterwards. Why of one transaction a look: a node that hangs must not use up the worker's time for the
    payment. Why the lowest hash: two nodes must speak of the same one. Source: docs/adr/0067.
    """
    if leg.call is None or leg.token_address == EVM_NATIVE_ADDRESS:
        return []
    awaited = [one for one in readings if one.tx_hash not in leg.settled_hashes]
    final = [one for one in awaited if node.is_finalized(int(one.receipt["blockNumber"]))]
    if not final:
        return []
    reading = min(final, key=lambda one: one.tx_hash)
    coins = coins_received(_calls(node, reading), leg.recipient)[:MOST_STRAYS]
    places = [((TransferKind.TRACE, frame.path), frame.value) for frame in coins]
    found = [observed(node, leg, reading.receipt, place, units, reading.seen.sender) for place, units in places]
    return [replace(one, token_address=EVM_NATIVE_ADDRESS, mark=Mark.STRAY, payer=reading.payer) for one in found]


def _calls(node: Node, reading: Reading) -> list[Frame]:
    """The issued call and all below it; nothing where the node cannot say, or no more may be asked for the payment."""
    if reading.inner is not None:
        return list(reading.inner)
    try:
        return frames_of(node, reading.tx_hash) or []
    except Exception as error:  # noqa: BLE001 - whatever it is, the payment is looked at as without it
        _LOGGER.warning("coin_untraced %s %s: %s", node.chain.name, reading.tx_hash, type(error).__name__)
        return []


def _moved(node: Node, leg: IssuedLeg, reading: Reading) -> list[ObservedTransfer]:
    """What reached the recipient, each with its mark, or without one where it is not the leg's own.

    By the logs of the registered contract; the native coin leaves none, and is read from the calls.
    """
    receipt, sender = reading.receipt, reading.seen.sender
    if leg.token_address == EVM_NATIVE_ADDRESS:
        coins = _coins(node, leg, reading)
        places = [((TransferKind.TRACE, path), units, mark) for path, units, mark in coins]
        return [replace(observed(node, leg, receipt, place, units, sender), mark=mark) for place, units, mark in places]
    arrived = arrivals(reading.logs, leg)
    if leg.call is None:
        return [replace(logged_transfer(node, leg, receipt, log, sender), mark=reading.mark) for log in arrived]
    own = completed_log(completion_of(reading.logs, leg), arrived, leg)
    marks = [(log, Mark.EVENT if log is own else Mark.NONE) for log in arrived]
    return [replace(logged_transfer(node, leg, receipt, log, sender), mark=mark) for log, mark in marks]


def _coins(node: Node, leg: IssuedLeg, reading: Reading) -> list[tuple[str, int, Mark]]:
    """Where the native coin reached the recipient: the transfer itself, or inside the issued call.

    Raises: CannotSay where that needs a trace and the node has none.
    """
    if leg.call is None and reading.inner is None:
        is_own = reading.transaction["from"] == leg.recipient
        return [] if is_own else [("0", int(reading.transaction["value"]), reading.mark)]
    frames = frames_of(node, reading.tx_hash) if reading.inner is None else list(reading.inner)
    if frames is None:
        raise CannotSay("no traces")
    received = coins_received(frames, leg.recipient)
    if leg.call is None:
        return [(frame.path, frame.value, reading.mark) for frame in received]
    own = completed_frame(completion_of(reading.logs, leg), received, leg)
    return [(frame.path, frame.value, Mark.EVENT if frame is own else Mark.NONE) for frame in received]
