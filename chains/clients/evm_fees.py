"""What an EVM chain takes for a transaction: for gas, and on second layers for its bytes.

Source: https://specs.optimism.io/protocol/fjord/predeploys.html, GasPriceOracle (``getL1FeeUpperBound``, since Fjord);
https://docs.arbitrum.io, NodeInterface (``gasEstimateL1Component``, in units of the chain's own gas).
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import shake_128
from typing import Any

from chains.clients.evm_endpoint import Node
from chains.clients.outcomes import CannotSay
from chains.registry import DataFee
from core.clock import ticks
from core.money import BaseUnits

FRESH_SECONDS = 5
"""Why kept at all: every token of a wallet's list asks."""
STANDS_SECONDS = 3600
"""How long an answer stands while there is no newer one: a fee of before is nearer than none."""
ORACLE = "0x420000000000000000000000000000000000000F"
NODE_INTERFACE = "0x00000000000000000000000000000000000000C8"
MOST_GAS = 3_000_000
MOST_DATA_FEE = 10**17
"""In the coin's base units. More than that is a mistake, and not a fee."""
_UPPER_BOUND = bytes.fromhex("f1c7a58b")
_L1_COMPONENT = bytes.fromhex("77d488a2")
_WORD = 32


@dataclass(kw_only=True)
class Kept:
    """An answer, and when it was asked for and came. Units: seconds of ``ticks``."""

    units: BaseUnits
    came_at: int
    asked_at: int


class Answers:
    """What was answered lately, so that nobody is asked the same again at once, silence included."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], Kept] = {}

    def get(self, key: tuple[str, int], ask: Callable[[], BaseUnits | None]) -> BaseUnits:
        """The answer of now or of a while ago; 0 where there is none. ``ask`` answers None where nobody can say."""
        at, known = int(ticks()), self._kept.get(key)
        if known is None or at - known.asked_at >= FRESH_SECONDS:
            answer = ask()
            if answer is not None:
                known = Kept(units=answer, came_at=at, asked_at=at)
            elif known is None or at - known.came_at > STANDS_SECONDS:
                known = Kept(units=BaseUnits(0), came_at=at, asked_at=at)
            known.asked_at = at
            self._kept[key] = known
        return known.units

    def clear(self) -> None:
        """Know nothing."""
        self._kept.clear()


def gas_price_of(node: Node) -> BaseUnits:
    """What a unit of gas costs, in the native coin's base units."""
    return BaseUnits(int(node.web3.eth.gas_price))


def data_fee_of(node: Node, kind: DataFee, size: int) -> BaseUnits:
    """What the chain takes for an unsigned transaction of so many bytes, in the native coin's base units.

    On the dear side: it is said of bytes that nothing makes shorter. Raises: CannotSay.
    """
    if kind is DataFee.OP_STACK:
        [units] = _numbers(_ask(node, ORACLE, _UPPER_BOUND + size.to_bytes(_WORD)), 1)
    else:
        units = _of_arbitrum(node, size)
    if units > MOST_DATA_FEE:
        raise CannotSay("an absurd fee")
    return BaseUnits(units)


def _of_arbitrum(node: Node, size: int) -> int:
    from eth_abi.abi import encode  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    content = shake_128(b"").digest(size)
    asked = _L1_COMPONENT + encode(["address", "bool", "bytes"], [ORACLE, False, content])
    gas, price, _ = _numbers(_ask(node, NODE_INTERFACE, asked), 3)
    return gas * price


def _ask(node: Node, oracle: str, content: bytes) -> bytes:
    call: Any = {"to": oracle, "data": "0x" + content.hex(), "gas": MOST_GAS}
    return bytes(node.web3.eth.call(call, node.head))


def _numbers(answer: bytes, count: int) -> list[int]:
    if len(answer) != count * _WORD:
        raise CannotSay("no oracle of fees")
    return [int.from_bytes(answer[place : place + _WORD]) for place in range(0, len(answer), _WORD)]
