"""What came of a question to a node: an answer, a fault of the node, or that it cannot say. One table of words.

Only a fault moves a node's breaker. What a node cannot say is about the question: the next node is asked, and nothing
is held against this one. A provider's limit slows it, and does no more.
Source: https://www.jsonrpc.org/specification; EIP-1474; tests/chains/error_answers.py (what geth, Erigon, Nethermind,
Reth, Agave and their providers say).
"""

from typing import Any

from chains.clients.allowance import BudgetSpent

SHORTEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1, 60
"""How long a provider's limit slows its node, whatever it asks for."""
WRONG_CHAIN_PAUSE_SECONDS = 60
TOO_MANY_REQUESTS = 429
_LONGEST_REASON = 80


class NoAnswer(Exception):
    """This node gave no usable answer; another one may. ``reason`` never holds its address, which may be secret."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class EndpointFault(NoAnswer):
    """The node itself: no connection, no answer in time, a status of HTTP, a broken envelope, a contradiction."""

    def __init__(self, reason: str, pause_seconds: int = 0) -> None:
        self.pause_seconds = pause_seconds
        super().__init__(reason)


class TookTooLong(EndpointFault):
    """It did not answer in time. Why by itself: to ask it the same again at once only takes as long again."""


class WrongChain(EndpointFault):
    """It is on another chain than its place in the settings says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, WRONG_CHAIN_PAUSE_SECONDS)


class TooManyQuestions(EndpointFault):
    """Its provider's limit is reached: it is to be asked more slowly."""


class Behind(NoAnswer):
    """It is not so far yet. That is no fault, and no word about the question either."""


class CannotSay(NoAnswer):
    """It, or the library between, has no answer to this very question."""


class RpcRefusal(CannotSay):
    """An error object about our question; ``code`` is JSON-RPC's, ``cause`` what the program runtime said."""

    def __init__(self, code: int, cause: Any = None) -> None:
        self.code, self.cause = code, cause
        super().__init__(f"JSON-RPC error {code}")


LIMIT_CODES = frozenset({TOO_MANY_REQUESTS, -32429, -32090, -32029})
"""Codes that providers use for nothing but their limits: Alchemy, Helius, Ankr, several gateways."""
LIMIT_TEXTS = (
    *("rate limit", "request rate", "rate exceeded", "rate-limit", "too many requests", "throughput", "throttl"),
    *("compute unit", "request limit", "requests per second", "/second", "rps limit", "request count"),
    *("monthly capacity", "max usage", "quota", "credits"),
)
"""Why texts at all: -32005 is also too many logs, and -32007 a slot that was skipped."""
FAULT_TEXTS = (
    *("node is unhealthy", "node is behind", "not synced", "is syncing", "must be authenticated", "unauthorized"),
    *("invalid api key", "invalid project id", "project id does not", "access denied", "no response from upstream"),
    *("no available nodes", "service unavailable", "no backend"),
)
"""What a node or its provider says of itself, whatever was asked."""


def refusal_of(error: Any) -> NoAnswer:
    """What an error object means.

    Why a revert comes first: its text is anybody's who can write a contract.
    """
    if not isinstance(error, dict) or type(error.get("code")) is not int:
        return EndpointFault("an error without a code")
    code, text = error["code"], str(error.get("message", "")).lower()
    details = error.get("data")
    refusal = RpcRefusal(code, details.get("err") if isinstance(details, dict) else None)
    if "revert" in text:
        return refusal
    if code in LIMIT_CODES or any(part in text for part in LIMIT_TEXTS):
        return TooManyQuestions(f"JSON-RPC error {code}", SHORTEST_WAIT_SECONDS)
    if any(part in text for part in FAULT_TEXTS):
        return EndpointFault(f"JSON-RPC error {code}")
    return refusal


def outcome_of(error: Exception) -> NoAnswer:
    """The outcome behind any error while a question was put, by its kind alone: its text may hold the address.

    Why everything unknown is no fault: what a library makes of an odd transaction is not the node's doing.
    Raises: BudgetSpent, which is no outcome at all.
    """
    if isinstance(error, BudgetSpent):
        raise error
    if isinstance(error, NoAnswer):
        return error
    answer = getattr(error, "rpc_response", None)
    if isinstance(answer, dict):
        return refusal_of(answer.get("error"))
    name = type(error).__name__
    if isinstance(error, OSError) or name == "BadResponseFormat":
        return EndpointFault(name)
    return CannotSay(name[:_LONGEST_REASON])


def fault_of(error: Exception) -> EndpointFault:
    """The same for a question that is about nobody, and has an answer always: whatever comes instead is a fault."""
    found = outcome_of(error)
    return found if isinstance(found, EndpointFault) else EndpointFault(found.reason)


def is_odd(error: Exception) -> bool:
    """Whether an error is about the question alone. Raises: BudgetSpent."""
    return isinstance(outcome_of(error), CannotSay)
