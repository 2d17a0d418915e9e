"""The calls that pay directly on an EVM chain, as they are issued and as they are recognised. Pure.

A token transfer carries its leg's tag as 16 bytes after the arguments, which token contracts ignore; a transfer of
the native coin carries nothing else. Source: docs/live.md, How a payment is recognised.
"""

from dataclasses import dataclass
from uuid import UUID

from core.money import BaseUnits

_TRANSFER = bytes.fromhex("a9059cbb")
"""Selector of ``transfer(address,uint256)``."""
_WORD, _ADDRESS, _TAG = 32, 20, 16
_CALL_LENGTH = len(_TRANSFER) + 2 * _WORD + _TAG


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferCall:
    """A tagged token transfer; ``recipient`` in lower case."""

    recipient: str
    base_units: BaseUnits
    tag: str


def token_transfer(recipient: str, base_units: int, tag: str) -> str:
    """Calldata that transfers so much of a token, marked with a tag (the text of a UUID)."""
    words = int(recipient, 16).to_bytes(_WORD) + base_units.to_bytes(_WORD)
    return "0x" + (_TRANSFER + words + UUID(tag).bytes).hex()


def native_note(tag: str) -> str:
    """The data of a transfer of the native coin, marked with a tag."""
    return "0x" + UUID(tag).hex


def read_token_transfer(calldata: bytes) -> TransferCall | None:
    """What a call transfers, if it has exactly the form that is issued here; None for every other call."""
    recipient, amount = calldata[4 : 4 + _WORD], calldata[4 + _WORD : 4 + 2 * _WORD]
    padding = _WORD - _ADDRESS
    if len(calldata) != _CALL_LENGTH or calldata[:4] != _TRANSFER or any(recipient[:padding]):
        return None
    return TransferCall(
        recipient="0x" + recipient[padding:].hex(),
        base_units=BaseUnits(int.from_bytes(amount)),
        tag=str(UUID(bytes=calldata[-_TAG:])),
    )
