"""Handing a signed transaction to EVM nodes, and what their words about it mean: one table.

Whatever is not in the table may have been sent. Source: docs/money-out.md, EVM chains;
https://github.com/ethereum/go-ethereum (core/txpool, core/state_transition);
https://github.com/OpenZeppelin/openzeppelin-relayer; https://github.com/thirdweb-dev/engine-core.
"""

from enum import StrEnum

from chains.clients.evm_endpoint import Node
from chains.clients.evm_simulation import request


class Verdict(StrEnum):
    """What a node made of a transaction. All but the first: it did not take it, and its nonce is not used."""

    TAKEN = "taken"
    """Taken, known already, or nobody can say."""
    POOR = "poor"
    """The account's coins do not pay for it."""
    CHEAP = "cheap"
    """It offers too little for its gas."""
    GAS = "gas"
    """Its limit of gas is too low or too high."""
    GAP = "gap"
    """An earlier nonce is missing there."""
    BAD = "bad"
    """These bytes will never be taken."""


TEXTS: tuple[tuple[str, Verdict], ...] = (
    ("replacement", Verdict.TAKEN),
    ("nonce too low", Verdict.TAKEN),
    ("nonce is too low", Verdict.TAKEN),
    ("already known", Verdict.TAKEN),
    ("already imported", Verdict.TAKEN),
    ("already exists", Verdict.TAKEN),
    ("same hash was already", Verdict.TAKEN),
    ("unknown transaction", Verdict.TAKEN),
    ("known transaction", Verdict.TAKEN),
    ("nonce too high", Verdict.GAP),
    ("nonce is too high", Verdict.GAP),
    ("nonce too far in the future", Verdict.GAP),
    ("exceeds next nonce", Verdict.GAP),
    ("nonce out of range", Verdict.GAP),
    ("insufficient funds", Verdict.POOR),
    ("insufficient balance", Verdict.POOR),
    ("max priority fee per gas higher than max fee", Verdict.BAD),
    ("max fee per gas less than block base fee", Verdict.CHEAP),
    ("fee cap less than block base fee", Verdict.CHEAP),
    ("feecap too low", Verdict.CHEAP),
    ("transaction underpriced", Verdict.CHEAP),
    ("gas price too low", Verdict.CHEAP),
    ("tip cap too low", Verdict.CHEAP),
    ("intrinsic gas too low", Verdict.GAS),
    ("intrinsic gas too high", Verdict.GAS),
    ("exceeds block gas limit", Verdict.GAS),
    ("gas limit", Verdict.GAS),
    ("out of gas", Verdict.GAS),
    ("invalid signature", Verdict.BAD),
    ("invalid sender", Verdict.BAD),
    ("invalid chain id", Verdict.BAD),
    ("malformed", Verdict.BAD),
    ("oversized", Verdict.BAD),
    ("transaction type not supported", Verdict.BAD),
)
"""Part of a node's text in lower case, and its meaning. The first that fits counts."""


def verdict_on(text: str) -> Verdict:
    """What a node's error text means for what was sent."""
    lowered = text.lower()
    return next((verdict for part, verdict in TEXTS if part in lowered), Verdict.TAKEN)


def send_raw(node: Node, raw: str) -> Verdict:
    """Hand a signed transaction to a node. Raises: EndpointFault or any other error; then it may have been sent."""
    answer = request(node, "eth_sendRawTransaction", raw)
    error = answer.get("error")
    return Verdict.TAKEN if error is None else verdict_on(str(error.get("message", "")))
