"""What happened inside a transaction, by a node's call tracer: native coins leave no logs."""

from collections.abc import Iterator
from typing import Any

from chains.clients.evm_endpoint import EndpointFault, Node

MOST_FRAMES = 2_000


def coins_received(node: Node, tx_hash: str, recipient: str) -> list[tuple[str, int]]:
    """Every time native coin reached an address inside a transaction: the path of the call, and wei.

    Raises: EndpointFault where the node does not trace; another one may.
    """
    wanted = recipient.lower()
    return [
        (path, int(frame.get("value", "0x0"), 16))
        for path, frame in _frames(_trace(node, tx_hash), "0")
        if frame.get("type") == "CALL" and frame.get("to", "").lower() == wanted and int(frame.get("value", "0x0"), 16)
    ]


def _trace(node: Node, tx_hash: str) -> dict[str, Any]:
    answer: Any = node.web3.provider.make_request(
        "debug_traceTransaction",  # type: ignore[arg-type]  # not among the library's names
        [tx_hash, {"tracer": "callTracer"}],
    )
    frame = answer.get("result")
    if not isinstance(frame, dict):
        raise EndpointFault("no trace")
    return frame


def _frames(frame: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A call and all below it, those that failed left out. Raises: EndpointFault beyond ``MOST_FRAMES``."""
    waiting, count = [(path, frame)], 0
    while waiting:
        place, current = waiting.pop()
        count += 1
        if count > MOST_FRAMES:
            raise EndpointFault("a trace too long")
        if current.get("error"):
            continue
        yield place, current
        waiting += [(f"{place}.{number}", inner) for number, inner in enumerate(current.get("calls", []))]
