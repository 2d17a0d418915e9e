"""Money that is to land exactly once: ordered with the row that wants it, then taken step by step by its rail.

The owner drives: it orders in its own transaction, calls ``advance_transfer`` outside any, and applies its own trigger
to what it then reads. Nothing here calls upward. Source: docs/money-out.md.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from chains import ledger
from chains.blockers import PATIENT, Blocked, Blocker, Failure, Rejected
from chains.errors import ChainUnavailable
from chains.models import SigningAccount, Transfer
from chains.rails.base import RailName, rail_named
from chains.registry import Family, chain
from chains.states import ENDED_UNPAID, MAY_LAND, STARTED, TRANSFER_MACHINE, TransferStatus
from core.backoff import Backoff
from core.clock import now
from core.ids import derived_id
from core.money import BaseUnits, UsdAmount
from core.pauses import quiet_since

__all__ = [
    "DISPATCH_BACKOFF",
    "Course",
    "Failure",
    "Blocker",
    "RailName",
    "TransferOrder",
    "advance_transfer",
    "course_of",
    "may_still_land",
    "poll_interval",
    "rail_of",
    "request_transfer",
    "signing_account",
    "withdraw_transfer",
]

MOST_STEPS = 8
"""In one go; more is a fault of ours, and the rest waits for the next sweep."""
WALLET_POLL = timedelta(seconds=30)
DISPATCH_BACKOFF = Backoff(delays_seconds=(30, 120, 600, 1800, 7200, 21600))
"""Waits after an attempt of which nothing was sent. Source: docs/guides/payouts.md, Statuses."""


class Course(StrEnum):
    """How a transfer stands. ``UNSENT``: provably nothing was sent and the attempt is over; ``WAITING``: nothing was
    sent and it costs no attempt to wait; ``REVERTED``: it landed and moved nothing, so a new round may be opened;
    ``FAILED``: nothing moved, and another one would end alike.
    """

    UNSENT = "unsent"
    WAITING = "waiting"
    UNDER_WAY = "under_way"
    PAID = "paid"
    REVERTED = "reverted"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class TransferOrder:
    """What is to be sent, for what, and how. ``value_usd`` is what the caps count."""

    merchant_id: int
    mode: str
    network: str
    purpose: str
    purpose_id: UUID
    rail: RailName
    chain: str
    token_address: str
    token_decimals: int
    recipient: str
    base_units: BaseUnits
    value_usd: UsdAmount
    account_id: int | None = None
    sender: str = ""
    behaviour: str = ""


def request_transfer(order: TransferOrder) -> Transfer:
    """The transfer for a purpose: the living or paid one if there is one, else a new round.

    Locks: the caller holds its own row's lock, so that two callers cannot open two rounds; the database refuses a
    second living one all the same.
    Why its id, by which it is known on its chain, follows from purpose and round: a database that forgot the transfer
    orders the very same one. Source: docs/adr/0094.
    """
    rounds = Transfer.objects.filter(purpose=order.purpose, purpose_id=order.purpose_id).order_by("-round")
    latest = rounds.first()
    if latest is not None and latest.status not in ENDED_UNPAID:
        return latest
    number = 1 if latest is None else latest.round + 1
    transfer = Transfer(
        id=derived_id("transfer", order.purpose, order.purpose_id, number),
        merchant_id=order.merchant_id,
        mode=order.mode,
        network=order.network,
        purpose=order.purpose,
        purpose_id=order.purpose_id,
        round=number,
        rail=order.rail,
        chain=order.chain,
        token_address=order.token_address,
        token_decimals=order.token_decimals,
        recipient=order.recipient,
        base_units=order.base_units,
        value_usd=order.value_usd,
        account_id=order.account_id,
        sender=order.sender,
        behaviour=order.behaviour,
    )
    ledger.open_transfer(transfer)
    return transfer


def advance_transfer(transfer_id: UUID) -> Transfer:
    """Take a transfer as far as it will go now; the row then says how far, and why no further. No transaction is open.

    A chain that no node speaks of changes nothing: of what may land already, silence says nothing.
    """
    transfer = Transfer.objects.select_related("account").get(pk=transfer_id)
    for _ in range(MOST_STEPS):
        if transfer.status in TRANSFER_MACHINE.terminal or not _step(transfer):
            break
        transfer = Transfer.objects.select_related("account").get(pk=transfer_id)
    return Transfer.objects.get(pk=transfer_id)


def withdraw_transfer(transfer_id: UUID, *, actor: str) -> bool:
    """Ask that a transfer shall not be made; says whether it provably never will be.

    Only what has no nonce and was never signed ends at once, and not while the database was put back and not let go: it
    may have forgotten that it signed. Of the rest the wish is written down: whoever advances it
    lets something that moves nothing take its place, if that still succeeds; so its owner goes on until it has ended.
    Locks: the caller holds the owner's lock and is in its transaction.
    """
    transfer = ledger.locked_transfer(transfer_id)
    if transfer.status in ENDED_UNPAID:
        return True
    if transfer.status == TransferStatus.NEW and quiet_since():
        return False
    if transfer.status != TransferStatus.NEW:
        if transfer.status in STARTED and transfer.withdrawn_at is None:
            ledger.note(transfer, withdrawn_at=now())
        return False
    ledger.advance(transfer, "fail", actor=actor, failure=Failure.WITHDRAWN, withdrawn_at=now())
    return True


def may_still_land(transfer: Transfer | None) -> bool:
    """Whether something signed for it could still reach its chain. A reserved nonce counts: a worker may sign now."""
    return transfer is not None and transfer.status in STARTED


def signing_account(merchant_id: int, mode: str, network: str, chain_name: str) -> SigningAccount | None:
    """The account that signs for a merchant on a chain; None where it has none, and its own wallet must sign."""
    mine = SigningAccount.objects.filter(merchant_id=merchant_id, mode=mode, network=network, retired_at=None)
    return mine.filter(chain=chain_name).first()


def rail_of(account: SigningAccount) -> RailName:
    """The rail on which an account sends."""
    known = chain(account.chain)
    return RailName.SOLANA if known is not None and known.family is Family.SOLANA else RailName.EVM


def course_of(transfer: Transfer) -> Course:
    """How a transfer stands, in the words that its owner acts on.

    Why one with a nonce is never ``UNSENT``: it must use it up, so its attempt is not over.
    """
    if transfer.status == TransferStatus.PAID:
        return Course.PAID
    if transfer.status == TransferStatus.REVERTED:
        return Course.REVERTED
    if transfer.status == TransferStatus.FAILED:
        return Course.FAILED
    if transfer.blocker in PATIENT:
        return Course.WAITING
    if transfer.status in MAY_LAND or not transfer.blocker:
        return Course.UNDER_WAY
    return Course.WAITING if transfer.status == TransferStatus.RESERVED else Course.UNSENT


def poll_interval(transfer: Transfer) -> timedelta:
    """How soon it is worth looking again. Why seldom where a wallet is awaited: its page wakes a worker."""
    if transfer.blocker == Blocker.AWAITING_WALLET:
        return WALLET_POLL
    return rail_named(transfer.rail).poll


def _step(transfer: Transfer) -> bool:
    try:
        return rail_named(transfer.rail).step(transfer)
    except Blocked as blocked:
        _block(transfer.pk, blocked.reason)
    except ChainUnavailable:
        _block(transfer.pk, Blocker.CHAIN_UNAVAILABLE)
    except Rejected as rejected:
        _reject(transfer.pk, rejected.reason)
    return False


@transaction.atomic
def _block(transfer_id: UUID, reason: Blocker) -> None:
    transfer = ledger.locked_transfer(transfer_id)
    if transfer.status in (TransferStatus.NEW, TransferStatus.RESERVED):
        ledger.note(transfer, blocker=reason, blocked_times=transfer.blocked_times + 1)


@transaction.atomic
def _reject(transfer_id: UUID, reason: Failure) -> None:
    transfer = ledger.locked_transfer(transfer_id)
    if transfer.status == TransferStatus.NEW:
        ledger.advance(transfer, "fail", reason=reason, failure=reason)
