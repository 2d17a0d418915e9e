"""What an issued call brought beside what was asked for: other tokens by their logs, the native coin by a trace.

It counts for nothing, so no payment waits for it, and little is asked for it. Source: docs/adr/0067.
"""

import logging
from collections.abc import Iterable
from dataclasses import replace

from chains.clients.base import MOST_STRAYS, IssuedLeg, Mark, ObservedTransfer, TransferKind
from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import Reading, logged_transfer, observed, strays
from chains.clients.evm_trace import Frame, coins_received, frames_of
from chains.registry import EVM_NATIVE_ADDRESS

_LOGGER = logging.getLogger("causeway.chains")


def stray_tokens(node: Node, leg: IssuedLeg, reading: Reading) -> list[ObservedTransfer]:
    """Other tokens that the issued call brought to the recipient, as an exchange's leftover does."""
    sender = reading.seen.sender
    found = [(log, logged_transfer(node, leg, reading.receipt, log, sender)) for log in strays(reading.logs, leg)]
    return [replace(one, token_address=str(log["address"]), mark=Mark.STRAY, payer=reading.payer) for log, one in found]


def stray_coins(node: Node, leg: IssuedLeg, readings: Iterable[Reading]) -> list[ObservedTransfer]:
    """The native coin that an issued exchange brought to the recipient beside a token; nothing where no trace is had.

    Why once, when the block is final and the books do not call it so yet: a trace is dear, and a payment is looked at
    for long afterwards. Why of one transaction a look: a node that hangs must not use up the worker's time for the
    payment. Why the lowest hash: two nodes must speak of the same one.
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
