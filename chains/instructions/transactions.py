"""The transactions that pay on Solana, as they are issued and as they come back signed. Pure.

A transfer carries its leg's reference: a key that follows from the leg's id and that nobody can sign for, appended
to the transfer's accounts. By it the payment is found and recognised. Source: docs/live.md, Solana.
Why imports inside functions: solders takes a tenth of a second to load, and the web server never needs it.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from chains.instructions.programs import (
    ASSOCIATED_TOKEN_PROGRAM,
    MEMO_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    token_account,
)
from chains.registry import SOLANA_NATIVE_ADDRESS
from core.money import BaseUnits

if TYPE_CHECKING:
    from solders.address_lookup_table_account import AddressLookupTableAccount
    from solders.instruction import AccountMeta, Instruction
    from solders.transaction import VersionedTransaction

TRANSFER_CHECKED = 12
"""The first byte of the token programs' instruction; eight bytes of amount and one of decimals follow."""
COIN_TRANSFER = 2
"""The first four bytes of the system program's instruction; eight bytes of amount follow."""
CREATE_IDEMPOTENT = 1
MOST_BYTES = 1232
"""Source: https://solana.com/docs/core/transactions."""
_REFERENCE_SEED = b"causeway reference"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExactTransfer:
    """So much of a token from one wallet to another, marked with a leg's tag.

    ``token_program`` and ``decimals`` are what the chain says of the token; for the native coin they mean nothing.
    """

    payer: str
    recipient: str
    token_address: str
    base_units: BaseUnits
    tag: str
    token_program: str = TOKEN_PROGRAM
    decimals: int = 0


def reference_of(tag: str) -> str:
    """The key that marks a leg's payment: 32 bytes that follow from its id (the text of a UUID), off the curve."""
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)

    for turn in range(256):
        key = Pubkey(hashlib.sha256(_REFERENCE_SEED + UUID(tag).bytes + bytes([turn])).digest())
        if not key.is_on_curve():
            return str(key)
    raise AssertionError("half of all keys are off the curve")


def transfer_instructions(transfer: ExactTransfer) -> list["Instruction"]:
    """The recipient's account if it is missing, the leg's id as a memo, and the transfer as the last instruction.

    Source: https://docs.solanapay.com/spec (memo just before, transfer last, references after its accounts).
    """
    note = _instruction(MEMO_PROGRAM, [], str(UUID(transfer.tag)).encode())
    if transfer.token_address == SOLANA_NATIVE_ADDRESS:
        return [note, _coin_transfer(transfer)]
    return [_open_account(transfer), note, _token_transfer(transfer)]


def compute_budget(units: int, micro_lamports: int) -> list["Instruction"]:
    """How much work a transaction may do, and what is offered for each unit of it, in millionths of a lamport."""
    from solders.compute_budget import (  # noqa: PLC0415  (slow import, see module)
        set_compute_unit_limit,
        set_compute_unit_price,
    )

    return [set_compute_unit_limit(units), set_compute_unit_price(micro_lamports)]


def unsigned_transaction(
    payer: str,
    instructions: Sequence["Instruction"],
    blockhash: str,
    lookup_tables: Iterable["AddressLookupTableAccount"] = (),
) -> str:
    """A version 0 transaction as a wallet takes it: base64, with an empty place for the payer's signature.

    Raises: ValueError where the payer is not the only one who must sign, or it is too long.
    """
    from solders.hash import Hash  # noqa: PLC0415  (slow import, see module)
    from solders.message import MessageV0  # noqa: PLC0415  (slow import, see module)
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)
    from solders.signature import Signature  # noqa: PLC0415  (slow import, see module)
    from solders.transaction import VersionedTransaction  # noqa: PLC0415  (slow import, see module)

    message = MessageV0.try_compile(
        Pubkey.from_string(payer), instructions, list(lookup_tables), Hash.from_string(blockhash)
    )
    if message.header.num_required_signatures != 1:
        raise ValueError("somebody else than the payer would have to sign")
    raw = bytes(VersionedTransaction.populate(message, [Signature.default()]))
    if len(raw) > MOST_BYTES:
        raise ValueError(f"a transaction of {len(raw)} bytes")
    return base64.b64encode(raw).decode()


def read_transaction(text: str) -> "VersionedTransaction":
    """A transaction from base64. Raises: ValueError where it is not one, or has anything behind it."""
    from solders.transaction import VersionedTransaction  # noqa: PLC0415  (slow import, see module)

    try:
        raw = base64.b64decode(text, validate=True)
        if len(raw) > MOST_BYTES:
            raise ValueError("too long")
        transaction = VersionedTransaction.from_bytes(raw)
    except (ValueError, binascii.Error) as error:
        raise ValueError("not a transaction") from error
    if bytes(transaction) != raw:
        raise ValueError("not one transaction in its only form")
    return transaction


def validated_signature(signed_base64: str, issued_base64: str) -> str:
    """The signature, which is the transaction's name, of exactly the issued message, signed by whoever must.

    Raises: ValueError where the message is another one, or a signature is missing or wrong.
    """
    signed, issued = read_transaction(signed_base64), read_transaction(issued_base64)
    if bytes(signed.message) != bytes(issued.message) or signed.version() != issued.version():
        raise ValueError("not the message that was issued")
    if not signed.signatures or not all(signed.verify_with_results()):
        raise ValueError("not signed by the payer")
    return str(signed.signatures[0])


def _open_account(transfer: ExactTransfer) -> "Instruction":
    """Create the recipient's token account; nothing happens where it exists."""
    token, program = transfer.token_address, transfer.token_program
    accounts = [
        _meta(transfer.payer, signs=True, writable=True),
        _meta(token_account(transfer.recipient, token, program), writable=True),
        *(_meta(address) for address in (transfer.recipient, token, SYSTEM_PROGRAM, program)),
    ]
    return _instruction(ASSOCIATED_TOKEN_PROGRAM, accounts, bytes([CREATE_IDEMPOTENT]))


def _token_transfer(transfer: ExactTransfer) -> "Instruction":
    token, program = transfer.token_address, transfer.token_program
    accounts = [
        _meta(token_account(transfer.payer, token, program), writable=True),
        _meta(token),
        _meta(token_account(transfer.recipient, token, program), writable=True),
        _meta(transfer.payer, signs=True),
        _meta(reference_of(transfer.tag)),
    ]
    amount = transfer.base_units.to_bytes(8, "little")
    return _instruction(program, accounts, bytes([TRANSFER_CHECKED]) + amount + bytes([transfer.decimals]))


def _coin_transfer(transfer: ExactTransfer) -> "Instruction":
    accounts = [
        _meta(transfer.payer, signs=True, writable=True),
        _meta(transfer.recipient, writable=True),
        _meta(reference_of(transfer.tag)),
    ]
    amount = transfer.base_units.to_bytes(8, "little")
    return _instruction(SYSTEM_PROGRAM, accounts, COIN_TRANSFER.to_bytes(4, "little") + amount)


def _meta(address: str, *, signs: bool = False, writable: bool = False) -> "AccountMeta":
    from solders.instruction import AccountMeta  # noqa: PLC0415  (slow import, see module)
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)

    return AccountMeta(Pubkey.from_string(address), is_signer=signs, is_writable=writable)


def _instruction(program: str, accounts: list["AccountMeta"], content: bytes) -> "Instruction":
    from solders.instruction import Instruction  # noqa: PLC0415  (slow import, see module)
    from solders.pubkey import Pubkey  # noqa: PLC0415  (slow import, see module)

    return Instruction(Pubkey.from_string(program), content, accounts)
