"""What the rail writes, each in one short transaction under the transfer's lock; the network was asked before.

Every write holds what it was concluded from against the row as it is now: another worker may have been first, and then
nothing is written. Locks: the transfer, then its signing account.
"""

import logging
from collections.abc import Collection, Sequence
from typing import Any

from django.db import transaction

from chains import ledger
from chains.blockers import Blocked, Blocker, Failure
from chains.models import SigningAccount, Transfer, TransferAttempt
from chains.rails.solana.message import Signed
from chains.rails.solana.observation import Landing
from chains.rails.solana.past import Sent
from chains.rails.solana.verdict import Judgement, Verdict
from chains.signers.policy import check_policy
from chains.states import MAY_LAND, TransferStatus
from core import transitions
from core.clock import now

MOST_IN_FLIGHT = 16
"""Transfers of one account that may land at the same time. Source: docs/money-out.md, On Solana."""
FOUND_ON_CHAIN = "found_on_chain"
_LOGGER = logging.getLogger("causeway.chains")


@transaction.atomic
def permit(seen: Transfer) -> bool:
    """Whether a transfer may be signed now; nothing is written. Raises: Rejected, Blocked.

    Why asked before signing too, and not only when the attempt is stored: a key is not used for what is then dropped.
    """
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status != TransferStatus.NEW:
        return False
    _check_account(transfer)
    return True


@transaction.atomic
def store_signed(seen: Transfer, signed: Signed, dead: Collection[str]) -> bool:
    """Store a signed transaction, before any node hears of it; says whether it is stored and may be sent.

    ``dead`` are earlier ones that can provably never land: were there any other, this one would be dropped.
    Raises: Rejected, Blocked; then nothing is stored.
    """
    transfer = ledger.locked_transfer(seen.pk)
    earlier = _names(transfer)
    if transfer.status != TransferStatus.NEW or not set(earlier) <= set(dead):
        return False
    _check_account(transfer)
    TransferAttempt.objects.create(
        transfer=transfer,
        sequence=len(earlier) + 1,
        raw=signed.raw,
        tx_hash=signed.signature,
        blockhash=signed.life.blockhash,
        last_valid_height=signed.life.last_valid_height,
    )
    start = signed.life.slot if transfer.start_block is None else transfer.start_block
    ledger.advance(transfer, "sign", tx_hash=signed.signature, sender=seen.sender, start_block=start)
    return True


@transaction.atomic
def take_back_up(seen: Transfer, landing: Landing) -> None:
    """A transaction that was proven dead is on the chain after all: follow it, and sign nothing."""
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status == TransferStatus.NEW:
        _LOGGER.critical("transfer_rose_again %s: %s", transfer.pk, landing.signature)
        ledger.advance(transfer, "sign", reason=FOUND_ON_CHAIN, tx_hash=landing.signature)
        _write_landing(transfer, Verdict.STANDS, landing)


@transaction.atomic
def take_up_sent(seen: Transfer, sent: Sequence[Sent]) -> None:
    """Follow what stands on the chain although this database never signed it: it is older than the payment."""
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status != TransferStatus.NEW:
        return
    for one in sent:
        _LOGGER.error("transfer_sent_before %s: %s", transfer.pk, one.signature)
        facts = {"raw": one.raw, "last_valid_height": one.last_valid_height, "first_broadcast_at": now()}
        facts |= {"transfer": transfer, "sequence": transfer.attempts.count() + 1}
        TransferAttempt.objects.get_or_create(tx_hash=one.signature, defaults=facts)
    first = min(sent, key=lambda one: one.slot)
    place: dict[str, Any] = {"tx_hash": first.signature, "start_block": first.slot}
    place |= {"account": first.account, "sender": first.account.address}
    ledger.advance(transfer, "sign", reason=FOUND_ON_CHAIN, **place)
    ledger.advance(transfer, "include", tx_hash=first.signature, block_number=first.slot)


def hold_undecided(seen: Transfer, others: Sequence[str]) -> None:
    """Hold a transfer while its mark stands on something else of ours, until a person says what that was.

    Raises: Blocked. Source: docs/money-out.md, After a restore.
    """
    with transaction.atomic():
        transfer = ledger.locked_transfer(seen.pk)
        noted: list[str] = transfer.past.get("maybe", [])
        new = [one for one in others if one not in noted]
        if new:
            _LOGGER.error("maybe_paid_before %s: %s on %s", transfer.pk, new[0], transfer.chain)
            ledger.note(transfer, past={**transfer.past, "maybe": [*noted, *new]})
        decided = transfer.past.get("others", [])
    if any(one not in decided for one in [*noted, *new]):
        raise Blocked(Blocker.MAYBE_PAID_BEFORE)


@transaction.atomic
def note_sent(seen: Transfer, signature: str) -> None:
    """Nodes were given what is signed, and whatever they answered, it may land."""
    transfer = ledger.locked_transfer(seen.pk)
    transfer.attempts.filter(tx_hash=signature, first_broadcast_at=None).update(first_broadcast_at=now())
    if transfer.status == TransferStatus.SIGNED:
        ledger.advance(transfer, "broadcast")


@transaction.atomic
def write_judgement(seen: Transfer, judgement: Judgement, signatures: Collection[str]) -> bool:
    """Follow what was concluded from all ``signatures``; says whether another step can follow at once."""
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status not in MAY_LAND or set(_names(transfer)) != set(signatures):
        return False
    if judgement.landing is not None:
        return _write_landing(transfer, judgement.verdict, judgement.landing)
    if transfer.status == TransferStatus.MINED:
        ledger.advance(transfer, "drop", block_number=None)
        return True
    if judgement.verdict is not Verdict.DEAD:
        return False
    if transfer.withdrawn_at is not None:
        ledger.advance(transfer, "fail", reason=Failure.WITHDRAWN, failure=Failure.WITHDRAWN)
        return False
    ledger.advance(transfer, "lapse", tx_hash="")
    return True


def _write_landing(transfer: Transfer, verdict: Verdict, landing: Landing) -> bool:
    facts: dict[str, Any] = {"tx_hash": landing.signature, "block_number": landing.slot}
    if transfer.status != TransferStatus.MINED:
        ledger.advance(transfer, "include", **facts)
    if verdict is Verdict.PAID:
        ledger.advance(transfer, "pay", paid_at=now(), **facts)
    elif verdict is Verdict.REVERTED:
        ledger.advance(transfer, "revert", failure=Failure.CHAIN_REJECTED, **facts)
    return False


def _check_account(transfer: Transfer) -> None:
    """Locks: takes the account's, after the transfer's. Raises: Rejected, Blocked."""
    account = transitions.locked(SigningAccount.objects.all(), pk=transfer.account_id)
    check_policy(transfer, account)
    others = Transfer.objects.filter(account=account, status__in=MAY_LAND).exclude(pk=transfer.pk)
    if others.count() >= MOST_IN_FLIGHT:
        raise Blocked(Blocker.SIGNER_BUSY)


def _names(transfer: Transfer) -> list[str]:
    return list(transfer.attempts.values_list("tx_hash", flat=True))
