"""What Across's program on Solana tells of a deposit: its event FundsDeposited. Pure.

Source: as chains.instructions.svm_spoke (event.rs). Anchor's ``emit_cpi`` writes an event as a call of the program to
itself, whose data begin with the first eight bytes of sha256("anchor:event") reversed and of sha256("event:" + name);
nobody but the program can make that call succeed, since its own address has to sign it.
"""

import hashlib
import struct
from dataclasses import dataclass, replace

from chains.base58 import base58
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.svm_spoke import DepositKind, SvmDeposit, read_message

EVENT_TAG = hashlib.sha256(b"anchor:event").digest()[:8][::-1]
_DEPOSITED = hashlib.sha256(b"event:FundsDeposited").digest()[:8]
_FORM = "<32s32sQ32sQ32sIII32s32s32s"
_START = len(EVENT_TAG) + len(_DEPOSITED)
_END = _START + struct.calcsize(_FORM)


@dataclass(frozen=True, kw_only=True, slots=True)
class Deposited:
    """FundsDeposited: what the program took, and the id it gave the order. ``exclusivity`` is a time here, or 0."""

    deposit: SvmDeposit
    deposit_id: int


def read_deposited(content: bytes) -> Deposited | None:
    """The event in the data of a call of the program to itself; None for every other one.

    Raises: TransactionRefused where it is cut short.
    """
    if content[:_START] != EVENT_TAG + _DEPOSITED:
        return None
    if len(content) < _END:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "event")
    read = struct.unpack(_FORM, content[_START:_END])
    given, taken, amount, promised, destination, order, quoted, deadline, exclusivity, depositor, to, relayer = read
    deposit = SvmDeposit(
        kind=DepositKind.DEPOSIT,
        depositor=base58(depositor),
        recipient=to,
        input_token=base58(given),
        output_token=taken,
        input_amount=amount,
        output_amount=int.from_bytes(promised),
        destination_chain_id=destination,
        exclusive_relayer=relayer,
        quote_timestamp=quoted,
        fill_deadline=deadline,
        exclusivity=exclusivity,
        message=read_message(content[_END:]),
    )
    return Deposited(deposit=deposit, deposit_id=int.from_bytes(order))


def is_event_of(deposited: SvmDeposit, deposit: SvmDeposit) -> bool:
    """Whether an event tells of this deposit: equal in all but the times that the program works out itself."""
    logged, asked = (
        replace(one, kind=DepositKind.DEPOSIT, quote_timestamp=0, fill_deadline=0, exclusivity=0, nonce=0)
        for one in (deposited, deposit)
    )
    has_times = deposit.kind is DepositKind.DEPOSIT_NOW or (
        (deposited.quote_timestamp, deposited.fill_deadline) == (deposit.quote_timestamp, deposit.fill_deadline)
    )
    return logged == asked and has_times
