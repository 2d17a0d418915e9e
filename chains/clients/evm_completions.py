"""What an issued call brought, by the word of the pinned contract that it calls: one arrival, and what else moved.

Code inside a call may be anybody's: a token's, a pool's, an order's. So of all that reached the recipient there, the
call's own is the one transfer that LI.FI's router says it completed, under the transaction id of the calldata.
Source: docs/adr/0044; https://github.com/lifinance/contracts, ILiFi.LiFiGenericSwapCompleted and GenericSwapFacetV3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chains.calldata.abi import CalldataError
from chains.calldata.lifi import SwapCall, read_lifi_call
from chains.clients.base import IssuedLeg
from chains.clients.evm_trace import Frame

COMPLETED_TOPIC = bytes.fromhex("38eee76fd911eabac79da7af16053e809be0e12c8637f156e77e1af309b99537")
"""``LiFiGenericSwapCompleted(bytes32,string,string,address,address,address,uint256,uint256)``."""
_WORD, _WORDS, _TOPICS = 32, 7, 2
_RECEIVER, _TO_ASSET, _TO_AMOUNT = 2, 4, 6
"""Places among the words that follow the transaction id; the first two say where the texts begin."""


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The router's own word: so much went to the recipient, as its log at this place says."""

    base_units: int
    log_index: int


def completion_of(logs: Iterable[Any], leg: IssuedLeg) -> Completion | None:
    """The completion of the issued call among its logs; None where there is none.

    Why the last one: what runs inside the call comes before the call's own end.
    """
    wanted = _transaction_id(leg)
    if leg.call is None or wanted is None:
        return None
    found = [
        log
        for log in logs
        if log["address"] == leg.call.to
        and [bytes(topic) for topic in log["topics"]][:_TOPICS] == [COMPLETED_TOPIC, wanted]
    ]
    promised = (int(leg.recipient, 16), int(leg.token_address, 16))
    for log in reversed(found):
        content = bytes(log["data"])
        if len(content) < _WORDS * _WORD:  # shorter than the event can be
            continue
        words = [int.from_bytes(content[place * _WORD : (place + 1) * _WORD]) for place in range(_WORDS)]
        if (words[_RECEIVER], words[_TO_ASSET]) == promised:
            return Completion(base_units=words[_TO_AMOUNT], log_index=int(log["logIndex"]))
    return None


def completed_log(completion: Completion | None, arrived: Sequence[Any], leg: IssuedLeg) -> Any:
    """The token's own log of that transfer: out of the router, of that amount, the last one before its word."""
    if completion is None or leg.call is None:
        return None
    router = int(leg.call.to, 16).to_bytes(_WORD)
    own = [
        log
        for log in arrived
        if bytes(log["topics"][1]) == router
        and int.from_bytes(log["data"]) == completion.base_units
        and int(log["logIndex"]) < completion.log_index
    ]
    return max(own, key=lambda log: int(log["logIndex"]), default=None)


def completed_frame(completion: Completion | None, received: Sequence[Frame], leg: IssuedLeg) -> Frame | None:
    """The same for the native coin, which leaves no log: the last call out of the router with that value."""
    if completion is None or leg.call is None:
        return None
    router = leg.call.to.lower()
    own = [frame for frame in received if (frame.sender, frame.value) == (router, completion.base_units)]
    # The path says in which order calls began.
    return max(own, key=lambda frame: [int(step) for step in frame.path.split(".")], default=None)


def _transaction_id(leg: IssuedLeg) -> bytes | None:
    """What the issued call names itself; None for a call that is no exchange on one chain."""
    if leg.call is None:
        return None
    try:
        call = read_lifi_call(leg.call.calldata)
    except CalldataError:
        return None
    return call.transaction_id if isinstance(call, SwapCall) else None
