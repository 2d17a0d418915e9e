"""Every balance of a wallet on one EVM chain in one call, by the Multicall3 contract that all of them have."""

from collections.abc import Iterable, Sequence
from typing import Any

from chains.clients.evm_endpoint import Node
from chains.registry import EVM_NATIVE_ADDRESS
from core.money import BaseUnits

MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
"""Source: https://www.multicall3.com (one address on all six)."""
_AGGREGATE = bytes.fromhex("82ad56cb")
_BALANCE_OF = bytes.fromhex("70a08231")
_GET_ETH_BALANCE = bytes.fromhex("4d2301cc")
_WORD = 32


def read_balances(node: Node, owner: str, tokens: Iterable[str]) -> dict[str, BaseUnits]:
    """What an address holds of each token, and of the native coin under its own address.

    A contract that does not answer is left out. Raises: ValueError where the answer is not one.
    """
    holder = int(owner, 16).to_bytes(_WORD)
    asked = [(token, _BALANCE_OF) for token in tokens] + [(MULTICALL3, _GET_ETH_BALANCE)]
    answers = aggregate(node, [(target, selector + holder) for target, selector in asked])
    if not _is_number(answers[-1]):
        raise ValueError("not an answer of Multicall3")
    names = [*(target for target, _ in asked[:-1]), EVM_NATIVE_ADDRESS]
    return {
        name: BaseUnits(int.from_bytes(answer[1]))
        for name, answer in zip(names, answers, strict=True)
        if _is_number(answer)
    }


def aggregate(node: Node, calls: Sequence[tuple[str, bytes]], *, gas: int | None = None) -> list[tuple[bool, bytes]]:
    """What each of these calls comes to, one after the other in one call that changes nothing: succeeded, returned.

    Raises: ValueError where the answer is not one.
    """
    from eth_abi.abi import decode, encode  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    asked = [(target, True, content) for target, content in calls]
    call: Any = {"to": MULTICALL3, "data": "0x" + (_AGGREGATE + encode(["(address,bool,bytes)[]"], [asked])).hex()}
    limits: Any = {} if gas is None else {"gas": gas}
    [answers] = decode(["(bool,bytes)[]"], bytes(node.web3.eth.call(call | limits, node.head)))
    if len(answers) != len(calls):
        raise ValueError("not an answer of Multicall3")
    return list(answers)


def _is_number(answer: tuple[bool, bytes]) -> bool:
    succeeded, returned = answer
    return succeeded and len(returned) == _WORD
