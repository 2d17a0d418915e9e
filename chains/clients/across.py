"""The Across protocol as both chains show it: a deposit opens an order, a fill with the same id closes it. Pure.

Only events of the pinned SpokePools are read. Source: https://github.com/across-protocol/contracts
(V3SpokePoolInterface), LI.FI's config/across.json for the addresses.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chains.registry import CHAINS
from core.money import BaseUnits

ACROSS = "across"
SPOKE_POOLS = {known.name: known.across_pool for known in CHAINS if known.across_pool}
"""By chain."""
_DEPOSITED = (
    "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)"
)
_FILLED = (
    "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,bytes32,bytes32,"
    "bytes32,bytes32,(bytes32,bytes32,uint256,uint8))"
)
_WORD, _ADDRESS = 32, 20
_EVENT_TOPICS = 4
_DEPOSIT_WORDS, _FILL_WORDS = 10, 15


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """One deposit. Its id is unique per origin chain; after ``fill_deadline`` (Unix time) nobody can fill it.

    Why the amounts: anybody can fill an invented order under a real id, at his own cost, while the real one stays open.
    """

    origin_chain_id: int
    deposit_id: int
    fill_deadline: int
    input_base_units: BaseUnits
    output_base_units: BaseUnits

    def __str__(self) -> str:
        ids = f"{ACROSS}:{self.origin_chain_id}:{self.deposit_id}"
        return f"{ids}:{self.fill_deadline}:{self.input_base_units}:{self.output_base_units}"

    @classmethod
    def parse(cls, text: str) -> "Order":
        """The order that ``str`` wrote. Raises: ValueError."""
        name, *numbers = text.split(":")
        if name != ACROSS:
            raise ValueError(f"{name} is not {ACROSS}")
        origin, deposit, deadline, given, promised = (int(number) for number in numbers)
        return cls(
            origin_chain_id=origin,
            deposit_id=deposit,
            fill_deadline=deadline,
            input_base_units=BaseUnits(given),
            output_base_units=BaseUnits(promised),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Deposit:
    """What a deposit promises: a token for a recipient on another chain."""

    order: Order
    destination_chain_id: int
    output_token: int
    recipient: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Fill:
    """A fill: the order it claims, what its relayer gave to whom, and where its log stands."""

    order: Order
    output_token: int
    recipient: int
    base_units: BaseUnits
    log_index: int


def deposit_topic() -> str:
    """The first topic of a deposit's log."""
    return _topic(_DEPOSITED)


def fill_topic() -> str:
    """The first topic of a fill's log."""
    return _topic(_FILLED)


def deposits_in(logs: Iterable[Any], spoke_pool: str, origin_chain_id: int) -> list[Deposit]:
    """The deposits that a SpokePool logged."""
    return [
        Deposit(
            order=_order(origin_chain_id, topics[2], words),
            destination_chain_id=topics[1],
            output_token=words[1],
            recipient=words[7],
        )
        for _, topics, words in _events(logs, spoke_pool, deposit_topic(), _DEPOSIT_WORDS)
    ]


def fills_in(logs: Iterable[Any], spoke_pool: str) -> list[Fill]:
    """The fills that a SpokePool logged, at the recipient and amount of their execution."""
    return [
        Fill(
            order=_order(topics[1], topics[2], words),
            output_token=words[1],
            recipient=words[11],
            base_units=BaseUnits(words[13]),
            log_index=int(log["logIndex"]),
        )
        for log, topics, words in _events(logs, spoke_pool, fill_topic(), _FILL_WORDS)
    ]


def _order(origin_chain_id: int, deposit_id: int, words: list[int]) -> Order:
    """The order in a log: both events hold amounts and deadline at the same places."""
    return Order(
        origin_chain_id=origin_chain_id,
        deposit_id=deposit_id,
        fill_deadline=words[5],
        input_base_units=BaseUnits(words[2]),
        output_base_units=BaseUnits(words[3]),
    )


def _events(
    logs: Iterable[Any], spoke_pool: str, topic: str, least_words: int
) -> list[tuple[Any, list[int], list[int]]]:
    """Logs of one event of the pinned contract: the log, its topics and its words as numbers."""
    found = []
    for log in logs:
        topics, words = [bytes(each) for each in log["topics"]], bytes(log["data"])
        is_ours = log["address"] == spoke_pool and len(topics) == _EVENT_TOPICS and "0x" + topics[0].hex() == topic
        if is_ours and len(words) >= least_words * _WORD:
            numbers = [int.from_bytes(words[place : place + _WORD]) for place in range(0, len(words), _WORD)]
            found.append((log, [int.from_bytes(each) for each in topics], numbers))
    return found


def _topic(signature: str) -> str:
    from eth_hash.auto import keccak  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    return "0x" + keccak(signature.encode()).hex()
