"""EIP-3009 authorizations as a node shows them: which transfer used one, and whether one can still be used.

Whoever sends the call, the token's own log names the authorization, and the transfer it made is the token's next log.
"""

from collections.abc import Sequence
from typing import Any

from chains.calldata.eip3009 import AUTHORIZATION_USED
from chains.clients.base import IssuedLeg
from chains.clients.evm_endpoint import Node
from chains.finality import Finality

_STATE = bytes.fromhex("e94a0102")
"""Selector of ``authorizationState(address,bytes32)``."""
_DOMAIN_SEPARATOR = bytes.fromhex("3644e515")
_WORD = 32
MOST_GAS = 3_000_000
"""For a call that only asks. Why: a contract that never ends must cost a node little."""


def used_topics(leg: IssuedLeg) -> list[str]:
    """The topics of the log that names the leg's authorization."""
    return ["0x" + AUTHORIZATION_USED.hex(), "0x" + leg.sender[2:].lower().rjust(2 * _WORD, "0"), leg.authorization]


def authorized_logs(logs: Sequence[Any], leg: IssuedLeg) -> tuple[Any, ...]:
    """The log that the token wrote right after it took the leg's authorization; nothing where it did not."""
    wanted = [bytes.fromhex(topic[2:]) for topic in used_topics(leg)]
    for taken, following in zip(logs, logs[1:], strict=False):
        is_taken = taken["address"] == leg.token_address and [bytes(topic) for topic in taken["topics"]] == wanted
        if is_taken and following["address"] == leg.token_address:
            return (following,)
    return ()


def carries_authorization(transaction: Any, leg: IssuedLeg) -> bool:
    """Whether the wallet itself sent something with the leg's authorization inside."""
    return transaction["from"] == leg.sender and bytes.fromhex(leg.authorization[2:]) in bytes(transaction["input"])


def read_domain_separator(node: Node, token: str) -> str:
    """What the token signs for; empty where it does not say."""
    answer = _call(node, token, _DOMAIN_SEPARATOR, node.head)
    return "0x" + answer.hex() if len(answer) == _WORD else ""


def is_used(node: Node, token: str, holder: str, nonce: str) -> bool:
    """Whether a token took an authorization, by the newest block."""
    answer = _call(node, token, _state_call(holder, nonce), node.head)
    return len(answer) == _WORD and any(answer)


def would_take(node: Node, token: str, sender: str, calldata: str) -> bool:
    """Whether a token would do what a call asks, if it were sent now."""
    from web3.exceptions import ContractLogicError  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    call: Any = {"from": sender, "to": token, "data": calldata, "gas": MOST_GAS}
    try:
        node.web3.eth.call(call, node.head)
    except ContractLogicError:
        return False
    return True


def is_void(node: Node, token: str, holder: str, nonce: str, valid_before: int) -> bool:
    """Whether an authorization can never be used any more: in a final block its time was over, and it was unused.

    Why a final block: what was unused in it when its time was over stays so for ever.
    """
    number = node.newest(Finality.FINALIZED)
    if int(node.web3.eth.get_block(number)["timestamp"]) < valid_before:
        return False
    answer = _call(node, token, _state_call(holder, nonce), number)
    return len(answer) == _WORD and not any(answer)


def _state_call(holder: str, nonce: str) -> bytes:
    return _STATE + int(holder, 16).to_bytes(_WORD) + bytes.fromhex(nonce[2:])


def _call(node: Node, to: str, content: bytes, block: int) -> bytes:
    """What a contract answers; nothing where it refuses."""
    from web3.exceptions import ContractLogicError  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    call: Any = {"to": to, "data": "0x" + content.hex(), "gas": MOST_GAS}
    try:
        return bytes(node.web3.eth.call(call, block))
    except ContractLogicError:
        return b""
