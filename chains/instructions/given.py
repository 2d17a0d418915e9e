"""Instructions as an aggregator writes them in JSON, read strictly."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chains.instructions.refusal import Refusal, TransactionRefused

if TYPE_CHECKING:
    from solders.instruction import Instruction

MOST_ACCOUNTS = 256
"""A transaction names each account by one byte."""
MOST_DATA_BYTES = 1232
"""Source: https://solana.com/docs/core/transactions."""
MOST_INSTRUCTIONS = 12
_LONGEST_ADDRESS = 44


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenAccount:
    """One account that an instruction names, and what it may do with it."""

    address: str
    is_signer: bool
    is_writable: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenInstruction:
    """One call of one program. Addresses are base58 of exactly 32 bytes, in their one spelling."""

    program: str
    accounts: tuple[GivenAccount, ...]
    content: bytes

    def address(self, position: int) -> str:
        """The account at a position; empty where there is none."""
        return self.accounts[position].address if position < len(self.accounts) else ""


def instruction(value: Any) -> GivenInstruction:
    """Read one. Raises: TransactionRefused where its form is not the documented one."""
    if not isinstance(value, Mapping):
        raise _malformed("instruction")
    accounts = value.get("accounts")
    if not isinstance(accounts, list) or len(accounts) > MOST_ACCOUNTS:
        raise _malformed("accounts")
    return GivenInstruction(
        program=address(value.get("programId")),
        accounts=tuple(_account(entry) for entry in accounts),
        content=_bytes(value.get("data")),
    )


def instructions(value: Any) -> tuple[GivenInstruction, ...]:
    """Read a short list of them. Raises: TransactionRefused."""
    if not isinstance(value, list) or len(value) > MOST_INSTRUCTIONS:
        raise _malformed("instructions")
    return tuple(instruction(entry) for entry in value)


def address(value: Any) -> str:
    """An address as text. Raises: TransactionRefused unless it is the base58 spelling of 32 bytes."""
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)

    if not isinstance(value, str) or len(value) > _LONGEST_ADDRESS:
        raise _malformed("address")
    try:
        read = str(Pubkey.from_string(value))
    except ValueError:
        raise _malformed("address") from None
    if read != value:
        raise _malformed("address")
    return read


def as_instruction(one: GivenInstruction) -> "Instruction":
    """The same call as part of a message that is made here."""
    from solders.instruction import AccountMeta, Instruction  # noqa: PLC0415  (slow import)
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import)

    metas = [
        AccountMeta(Pubkey.from_string(entry.address), entry.is_signer, entry.is_writable) for entry in one.accounts
    ]
    return Instruction(Pubkey.from_string(one.program), one.content, metas)


def _account(value: Any) -> GivenAccount:
    if not isinstance(value, Mapping):
        raise _malformed("account")
    is_signer, is_writable = value.get("isSigner"), value.get("isWritable")
    if not isinstance(is_signer, bool) or not isinstance(is_writable, bool):
        raise _malformed("account")
    return GivenAccount(address=address(value.get("pubkey")), is_signer=is_signer, is_writable=is_writable)


def _bytes(value: Any) -> bytes:
    if not isinstance(value, str) or len(value) > 2 * MOST_DATA_BYTES:
        raise _malformed("data")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise _malformed("data") from None


def _malformed(what: str) -> TransactionRefused:
    return TransactionRefused(Refusal.MALFORMED_ANSWER, what)
