"""The marks by which a transaction's content is somebody's: sixteen bytes, looked for wherever they stand. Pure.

Why wherever: a wallet that is a contract sends the issued call inside another one.
"""

from uuid import UUID

from chains.calldata.abi import CalldataError
from chains.calldata.lifi import SwapCall, read_lifi_call
from chains.clients.evm_calls import read_token_transfer

MARK_BYTES = 16
MOST_BYTES = 128 * 1024
"""Of a content; more no chain takes in one transaction. Source: https://github.com/ethereum/go-ethereum, txMaxSize."""


def mark_of_tag(tag: str) -> str:
    """The mark of what carries a tag itself."""
    return UUID(tag).hex


def mark_of_call(calldata: bytes) -> str:
    """The mark of a router's call: the first half of the id that it gives itself; empty where it has none."""
    try:
        call = read_lifi_call(calldata)
    except CalldataError:
        return ""
    named = call.transaction_id if isinstance(call, SwapCall) else call.bridge.transaction_id
    return named[:MARK_BYTES].hex()


def marks_in(content: bytes) -> frozenset[str]:
    """Every mark that may stand in a content: one where it is a payment as it was issued, else all there could be."""
    transfer = read_token_transfer(content)
    if transfer is not None:
        return frozenset({mark_of_tag(transfer.tag)})
    bounded = content[:MOST_BYTES]
    places = range(len(bounded) - MARK_BYTES + 1)
    return frozenset(bounded[place : place + MARK_BYTES].hex() for place in places)
