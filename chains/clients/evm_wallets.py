"""What a wallet that is a contract says of a signature: its own code is asked, as foreign code, on one node.

A wrapped signature brings what puts the wallet there first; that is done in one call that changes nothing.
Source: EIP-1271; EIP-6492; docs/adr/0062.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from chains.clients.evm_balances import aggregate
from chains.clients.evm_endpoint import Node
from chains.registry import EVM_NATIVE_ADDRESS

VALID: Final = bytes.fromhex("1626ba7e").ljust(32, b"\0")
"""The only answer that means yes. Source: EIP-1271."""
WRAPPED: Final = bytes.fromhex("6492" * 16)
"""How a signature of a wallet ends that may not be deployed yet. Source: EIP-6492."""
_IS_VALID: Final = bytes.fromhex("1626ba7e")
"""Selector of ``isValidSignature(bytes32,bytes)``."""
_MARK_BYTES = 16


class WalletWord(StrEnum):
    """What came of asking a wallet's contract. ``UNSAID`` is neither: ask later."""

    YES = "yes"
    NO = "no"
    UNSAID = "unsaid"


@dataclass(frozen=True, kw_only=True, slots=True)
class WalletQuestion:
    """Whether ``wallet`` takes the signature for its own. ``digest`` is what was signed, 32 bytes.

    The call may use ``gas`` units, and asking may take ``seconds``: the contract is anybody's, and may never end.
    ``with_coin``: it must also stand there and take the chain's own coin with a payment's mark behind it.
    """

    wallet: str
    digest: bytes
    signature: bytes
    gas: int
    seconds: int
    with_coin: bool = False


def is_taken(node: Node, asked: WalletQuestion) -> bool:
    """Whether the contract at the wallet's address takes the signature, by the newest block of this node.

    Why nothing is prepared for a wallet that stands there already: what counts is what it says as it is.
    Raises: whatever the library does where the node cannot say.
    """
    wrapped = _unwrapped(asked.signature)
    if wrapped is None:
        return False
    from eth_abi.abi import encode  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    question = _IS_VALID + encode(["bytes32", "bytes"], [asked.digest, wrapped.signature])
    if bytes(node.web3.eth.get_code(_checksum(asked.wallet), node.head)):
        return _answer(node, asked, question) == VALID and (not asked.with_coin or _takes_coin(node, asked))
    if not wrapped.factory or asked.with_coin:
        return False
    calls = [(wrapped.factory, wrapped.preparation), (asked.wallet, question)]
    [_, (succeeded, returned)] = aggregate(node, calls, gas=asked.gas)
    return succeeded and returned == VALID


@dataclass(frozen=True, kw_only=True, slots=True)
class _Unwrapped:
    """The signature itself, and whom to call with what so that the wallet stands there; nobody where it is plain."""

    signature: bytes
    factory: str = ""
    preparation: bytes = b""


def _answer(node: Node, asked: WalletQuestion, question: bytes) -> bytes:
    """What the contract answers; nothing where it refuses."""
    from web3.exceptions import ContractLogicError  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    call: Any = {"to": _checksum(asked.wallet), "data": "0x" + question.hex(), "gas": asked.gas}
    try:
        return bytes(node.web3.eth.call(call, node.head))
    except ContractLogicError:
        return b""


def _takes_coin(node: Node, asked: WalletQuestion) -> bool:
    """Whether a unit of the coin would arrive with 16 bytes behind it. Nobody sends it, who has some everywhere."""
    from web3.exceptions import ContractLogicError  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    sent: Any = {"from": EVM_NATIVE_ADDRESS, "to": _checksum(asked.wallet), "value": 1, "gas": asked.gas}
    try:
        node.web3.eth.call(sent | {"data": "0x" + asked.digest[:_MARK_BYTES].hex()}, node.head)
    except ContractLogicError:
        return False
    return True


def _unwrapped(signature: bytes) -> _Unwrapped | None:
    """What a signature holds; None where it is wrapped, and nonsense inside.

    Why so broad a catch: the library fails in several ways at nonsense.
    """
    from eth_abi.abi import decode  # noqa: PLC0415  (slow import, see chains.clients.evm_endpoint)

    if not signature.endswith(WRAPPED):
        return _Unwrapped(signature=signature)
    try:
        factory, preparation, inner = decode(["address", "bytes", "bytes"], signature[: -len(WRAPPED)])
    except Exception:
        return None
    return _Unwrapped(signature=inner, factory=str(factory), preparation=preparation)


def _checksum(address: str) -> Any:
    from eth_utils.address import to_checksum_address  # noqa: PLC0415  (slow import, as above)

    return to_checksum_address(address)
