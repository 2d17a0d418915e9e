"""Trying calls before anybody signs them: what a node says would happen if they were sent now, one after the other.

``eth_simulateV1`` tries approvals and the call behind them together and shows what would arrive. A node without it can
only try the first call alone. Source: https://github.com/ethereum/execution-apis (eth_simulateV1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chains.calldata.erc20 import allowance_call
from chains.clients.evm_endpoint import Node
from chains.clients.evm_reading import TRANSFER_TOPIC
from chains.clients.outcomes import CannotSay, EndpointFault
from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from core.money import BaseUnits

COIN_LOGS_FROM = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
"""Whose transfer logs ``eth_simulateV1`` makes up for native coin."""
_WORD, _TOPICS = 32, 3
_MOST_LOGS = 5_000
_REVERTED = 3
_UNFUNDED = "insufficient funds"
_SIMULATION_ERRORS = range(-38_099, -38_000)
"""Codes by which ``eth_simulateV1`` itself refuses, such as a balance that does not suffice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TriedCall:
    """A call as a wallet would send it; ``value`` in wei, ``data`` with 0x."""

    sender: str
    to: str
    value: int
    data: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulation:
    """What would happen. ``was_tried`` is false where the node could not try the last call.

    ``arrived`` is how much of the watched token would reach the watched address; None where the node does not show it.
    """

    succeeds: bool
    was_tried: bool
    arrived: BaseUnits | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Watched:
    """Whose balance of which token a simulation is about; the native coin is the zero address."""

    token: str
    recipient: str


def read_allowance(node: Node, token: str, owner: str, spender: str) -> BaseUnits:
    """How much of an owner's tokens a spender may take. Raises: CannotSay where the contract does not say."""
    call: Any = {"to": token, "data": allowance_call(owner, spender)}
    answer = bytes(node.web3.eth.call(call, node.head))
    if len(answer) != _WORD:
        raise CannotSay("not an allowance")
    return BaseUnits(int.from_bytes(answer))


def simulate_calls(node: Node, calls: Sequence[TriedCall], watched: Watched) -> Simulation:
    """Try calls in order on top of the newest block, at the time of this moment. Raises: EndpointFault.

    Why the time is given: orders between chains name times, and a node counts on from its last block.
    """
    sent = [{"from": one.sender, "to": one.to, "value": hex(one.value), "data": one.data} for one in calls]
    parent = int(node.web3.eth.get_block(node.head)["timestamp"])
    time = {"time": hex(max(int(now().timestamp()), parent + 1))}
    block = {"blockOverrides": time, "calls": sent}
    blocks = {"blockStateCalls": [block], "traceTransfers": True, "validation": False}
    answer = request(node, "eth_simulateV1", blocks, hex(node.head))
    error = answer.get("error")
    if error is None:
        return _bundle(answer.get("result"), len(calls), watched)
    if error.get("code") in _SIMULATION_ERRORS or _UNFUNDED in str(error.get("message")).lower():
        return Simulation(succeeds=False, was_tried=True)
    return _first_alone(node, sent)


def _bundle(result: Any, count: int, watched: Watched) -> Simulation:
    try:
        [block] = result
        tried = block["calls"]
        if len(tried) != count:
            raise EndpointFault("another number of calls than was tried")
        succeeds = all(int(call["status"], 16) == 1 for call in tried)
        logs = tried[-1].get("logs", []) if succeeds else []
        arrived = sum(_brought(log, watched) for log in logs[:_MOST_LOGS])
    except (TypeError, ValueError, KeyError, AttributeError):
        raise EndpointFault("not a simulation") from None
    return Simulation(succeeds=succeeds, was_tried=True, arrived=BaseUnits(arrived) if succeeds else None)


def _brought(log: Any, watched: Watched) -> int:
    """What one log says that the watched address got."""
    emitter = COIN_LOGS_FROM if watched.token == EVM_NATIVE_ADDRESS else watched.token.lower()
    topics = [bytes.fromhex(topic[2:]) for topic in log["topics"]]
    recipient = int(watched.recipient, 16).to_bytes(_WORD)
    is_transfer = len(topics) == _TOPICS and (topics[0], topics[2]) == (TRANSFER_TOPIC, recipient)
    return int(log["data"], 16) if is_transfer and log["address"].lower() == emitter else 0


def _first_alone(node: Node, sent: Sequence[Any]) -> Simulation:
    """Without bundles only the first call can be tried: an approval, or the payment itself where none is missing."""
    answer = request(node, "eth_call", sent[0], hex(node.head))
    error = answer.get("error")
    if error is None:
        return Simulation(succeeds=True, was_tried=len(sent) == 1)
    message = str(error.get("message")).lower()
    if error.get("code") == _REVERTED or "revert" in message or _UNFUNDED in message:
        return Simulation(succeeds=False, was_tried=True)
    raise CannotSay("a call that cannot be tried")


def request(node: Node, method: str, *parameters: Any) -> Any:
    """A node's whole answer, also where it is an error: its text may matter."""
    answer: Any = node.web3.provider.make_request(method, list(parameters))  # type: ignore[arg-type]  # not all are named
    return answer
