"""How a stored simulated transaction looks at a moment: pending, in which block, how deep. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from chains.base58 import base58
from chains.clients.base import NOBODY, ObservedTransfer, Payer, SeenStatus, SeenTransaction, TransferKind
from chains.clients.script import FINAL_AFTER, REVERTING, is_solana, synthetic_address
from chains.models import SimulatedRole, SimulatedTransaction
from chains.registry import EVM_NATIVE_ADDRESS, chain

MOST_CONFIRMATIONS = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNKNOWN_CHAIN_BLOCK = timedelta(seconds=2)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Block:
    number: int
    hash: str
    time: datetime


def stands(row: SimulatedTransaction, at: datetime) -> bool:
    """Whether the transaction is in a block of the chain at this moment."""
    return row.lands_at is not None and row.lands_at <= at and not _is_gone(row, at)


def as_seen(row: SimulatedTransaction, at: datetime) -> SeenTransaction | None:
    """What a node answers about it; None before it exists there, and after it was dropped for good."""
    if stands(row, at):
        block = _block(row, at)
        return SeenTransaction(
            status=SeenStatus.REVERTED if row.behaviour in REVERTING else SeenStatus.INCLUDED,
            confirmations=_confirmations(row, at),
            block_number=block.number,
            block_hash=block.hash,
            block_time=block.time,
            sender=row.sender,
            tag=row.tag,
        )
    is_lost = row.gone_until is None and _is_gone(row, at)
    if is_lost or row.role not in {SimulatedRole.SOURCE, SimulatedRole.WHOLE}:
        return None
    return SeenTransaction(
        status=SeenStatus.PENDING,
        confirmations=0,
        block_number=None,
        block_hash="",
        block_time=None,
        sender=row.sender,
        tag=row.tag,
    )


def as_transfer(row: SimulatedTransaction, at: datetime, payer: Payer = NOBODY) -> ObservedTransfer:
    """The transfer that it makes, and who paid it. The caller has checked that it stands."""
    block = _block(row, at)
    evm_kind = TransferKind.TRACE if row.token == EVM_NATIVE_ADDRESS else TransferKind.LOG
    return ObservedTransfer(
        chain=row.chain,
        tx_hash=row.tx_hash,
        kind=TransferKind.ACCOUNT if is_solana(row.chain) else evm_kind,
        # A token account on Solana; elsewhere 0, since a simulated transaction makes one transfer.
        position=synthetic_address(row.chain, f"{row.recipient}|{row.token}") if is_solana(row.chain) else "0",
        token_address=row.token,
        base_units=row.base_units,
        sender=row.sender,
        recipient=row.recipient,
        block_number=block.number,
        block_hash=block.hash,
        block_time=block.time,
        confirmations=_confirmations(row, at),
        is_finalized=True,  # once it is deep: nothing is taken back later here
        payer=payer,
    )


def _is_gone(row: SimulatedTransaction, at: datetime) -> bool:
    return row.gone_from is not None and row.gone_from <= at and (row.gone_until is None or at < row.gone_until)


def _has_returned(row: SimulatedTransaction, at: datetime) -> bool:
    return row.gone_until is not None and row.gone_until <= at


def _confirmations(row: SimulatedTransaction, at: datetime) -> int:
    """Grow evenly to the chain's standard number in ``FINAL_AFTER``; before a reorganisation it is never reached."""
    known = chain(row.chain)
    required = 1 if known is None else known.confirmations_required
    since = row.gone_until if _has_returned(row, at) else row.lands_at
    count = 0 if since is None else (at - since) * required // FINAL_AFTER
    doomed = row.gone_from is not None and at < row.gone_from
    return min(count, required - 1 if doomed else MOST_CONFIRMATIONS)


def _block(row: SimulatedTransaction, at: datetime) -> _Block:
    """The block around it: after a reorganisation the next one, with another hash."""
    known = chain(row.chain)
    span = _UNKNOWN_CHAIN_BLOCK if known is None else timedelta(milliseconds=int(known.block_seconds * 1000))
    fork = int(_has_returned(row, at))
    number = (row.block_time - _EPOCH) // span + fork
    digest = hashlib.sha256(f"{row.chain}|{number}|{fork}".encode()).digest()
    text = base58(digest) if is_solana(row.chain) else f"0x{digest.hex()}"
    return _Block(number=number, hash=text, time=row.block_time + fork * span)
