"""The one transaction that a transfer becomes: unsigned, as it is tried out, and signed, as it is stored.

Compute budget, the recipient's token account if it is missing, the transfer's id as a memo, and the transfer, which
carries a reference that follows from that id: no two transfers ever make the same message.
"""

import base64
from dataclasses import dataclass

from chains.instructions.exact_payment import units_with_margin
from chains.instructions.transactions import (
    ExactTransfer,
    compute_budget,
    read_transaction,
    transfer_instructions,
    unsigned_transaction,
)
from chains.models import Transfer
from chains.rails.solana.facts import Life
from chains.rails.solana.preflight import MOST_UNITS


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A transaction that only lacks its signature, in base64, and its life."""

    unsigned: str
    life: Life


@dataclass(frozen=True, kw_only=True, slots=True)
class Signed:
    """What is sent, in base64, its name on the chain, and its life."""

    raw: str
    signature: str
    life: Life


def drafted(transfer: Transfer, program: str, life: Life, *, used_units: int | None = None) -> Draft:
    """The transaction, with room for any such transfer, or for what a trial used and a fifth more.

    Raises: ValueError where it cannot be made.
    """
    units = MOST_UNITS if used_units is None else units_with_margin(used_units)
    wanted = ExactTransfer(
        payer=transfer.sender,
        recipient=transfer.recipient,
        token_address=transfer.token_address,
        base_units=transfer.base_units,
        tag=str(transfer.pk),
        token_program=program,
        decimals=transfer.token_decimals,
    )
    calls = [*compute_budget(units, life.unit_price), *transfer_instructions(wanted)]
    return Draft(unsigned=unsigned_transaction(transfer.sender, calls, life.blockhash), life=life)


def message_of(draft: Draft) -> bytes:
    """The bytes that are signed."""
    from solders.message import to_bytes_versioned  # noqa: PLC0415  (slow import)

    return bytes(to_bytes_versioned(read_transaction(draft.unsigned).message))


def signed_with(draft: Draft, signature: bytes) -> Signed:
    """The transaction with its signature. Raises: ValueError where it is not the sender's, over these very bytes."""
    from solders.signature import Signature  # noqa: PLC0415  (slow import)
    from solders.transaction import VersionedTransaction  # noqa: PLC0415  (slow import)

    message = read_transaction(draft.unsigned).message
    made = VersionedTransaction.populate(message, [Signature.from_bytes(signature)])
    if not all(made.verify_with_results()):
        raise ValueError("not the sender's signature")
    return Signed(raw=base64.b64encode(bytes(made)).decode(), signature=str(made.signatures[0]), life=draft.life)
