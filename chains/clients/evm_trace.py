"""What happened inside a transaction, by a node's call tracer.

Needed for native coins, which leave no logs, and for wallets that send several calls as one: only what happened
inside the issued call is the leg's own. Source: docs/live.md, How a payment is recognised.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from chains.clients.evm_endpoint import Node
from chains.clients.outcomes import CannotSay, refusal_of

MOST_FRAMES = 2_000
LONGEST_PATH = 64
"""As much as the place of a transfer may have. Why nothing is lost: an exchange pays from its second or third level."""
TRACE_SECONDS = 2
"""For one trace. Why below the time for an answer: a node that stops by itself says so."""
_NO_SUCH_METHOD = -32601


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """One call inside a transaction; ``logs`` are the places, among all logs of the transaction, of those below it.

    ``path`` names it by its position in each level of calls; ``sender`` (who made it) and ``to`` are in lower case,
    ``value`` in wei.
    """

    path: str
    sender: str
    to: str
    value: int
    calldata: bytes
    is_plain_call: bool
    logs: range


def frames_of(node: Node, tx_hash: str) -> list[Frame] | None:
    """Every call of a transaction that was not undone, outermost first; None where the node does not trace at all.

    Raises: NoAnswer where it does and cannot say.
    """
    tracer = {"tracer": "callTracer", "tracerConfig": {"withLog": True}, "timeout": f"{TRACE_SECONDS}s"}
    answer: Any = node.web3.provider.make_request(
        "debug_traceTransaction",  # type: ignore[arg-type]  # not among the library's names
        [tx_hash, tracer],
    )
    outermost = answer.get("result")
    if isinstance(outermost, dict):
        return sorted(_visit(outermost, "0", _Progress()), key=lambda frame: frame.path.count("."))
    error = answer.get("error") or {}
    if error.get("code") == _NO_SUCH_METHOD:
        return None
    raise refusal_of(error) if error else CannotSay("no trace")


def coins_received(frames: list[Frame], recipient: str) -> list[Frame]:
    """Every call that brought native coin to an address, but from itself, and from too deep to be written down."""
    wanted = recipient.lower()
    brought = (frame for frame in frames if frame.is_plain_call and frame.value and len(frame.path) <= LONGEST_PATH)
    return [frame for frame in brought if frame.to == wanted and frame.sender != wanted]


def outermost(frames: list[Frame]) -> list[Frame]:
    """Those of some calls that are inside no other one of them."""
    paths = {frame.path for frame in frames}
    return [frame for frame in frames if paths.isdisjoint(_above(frame))]


def inside(frames: list[Frame], outer: list[Frame]) -> list[Frame]:
    """Some calls and everything below them."""
    paths = {frame.path for frame in outer}
    return [frame for frame in frames if frame.path in paths or not paths.isdisjoint(_above(frame))]


def _above(frame: Frame) -> Iterator[str]:
    """The paths of the calls in which a call was made."""
    return accumulate(frame.path.split(".")[:-1], "{}.{}".format)


@dataclass
class _Progress:
    """How far a walk over a trace has come."""

    frames: int = 0
    logs: int = 0


def _visit(frame: dict[str, Any], path: str, progress: _Progress) -> Iterator[Frame]:
    """One call and all below it, logs counted in the order in which they were written.

    Raises: CannotSay beyond ``MOST_FRAMES``.
    """
    progress.frames += 1
    if progress.frames > MOST_FRAMES:
        raise CannotSay("a trace too long")
    if frame.get("error"):
        return
    first, calls, logs = progress.logs, frame.get("calls", []), frame.get("logs", [])
    for number, inner in enumerate(calls):
        progress.logs += _logs_before(logs, number)
        yield from _visit(inner, f"{path}.{number}", progress)
    progress.logs += _logs_before(logs, len(calls))
    yield Frame(
        path=path,
        sender=str(frame.get("from", "")).lower(),
        to=str(frame.get("to", "")).lower(),
        value=int(frame.get("value") or "0x0", 16),
        calldata=bytes.fromhex(str(frame.get("input", "0x"))[2:]),
        is_plain_call=frame.get("type") == "CALL",
        logs=range(first, progress.logs),
    )


def _logs_before(logs: list[dict[str, Any]], call_number: int) -> int:
    """How many logs a frame wrote right before its n-th inner call, or after its last one."""
    return sum(int(str(log.get("position", "0x0")), 16) == call_number for log in logs)
