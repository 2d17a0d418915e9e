"""Writing down what a look at the chain says of a transfer that a merchant's wallet was to make."""

from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction

from chains import ledger
from chains.clients.base import LegView, ObservedTransfer
from chains.models import OwnerKind, Transfer, TransferProof
from chains.owners import ChainEvent, take_event
from chains.rails.merchant_wallet.facts import (
    Refusal,
    Refused,
    authorization_of,
    offer_with,
    refused_of,
    unsigned_of,
)
from chains.rails.merchant_wallet.judging import Observation, is_final, judge
from chains.states import TransferStatus
from core.clock import now

EXPIRED = "expired"


@transaction.atomic
def conclude(seen: Transfer, view: LegView, *, is_over: bool) -> bool:
    """Write down what was seen; says whether another step can follow at once. ``is_over``: it can never land.

    Why only for what was asked about: a page may have told something new meanwhile. Locks: the transfer.
    """
    transfer = ledger.locked_transfer(seen.pk)
    if (transfer.status, transfer.hint, transfer.sender) != (seen.status, seen.hint, seen.sender):
        return False
    observation = judge(transfer, view)
    if transfer.status == TransferStatus.MINED:
        return _confirm(transfer, observation)
    if observation.proof is not None:
        include(transfer, observation.proof)
        return True
    if is_over:
        _take_back(transfer)
    elif observation.pending and transfer.status == TransferStatus.SIGNED:
        ledger.advance(transfer, "broadcast", tx_hash=observation.pending)
    elif observation.refused is not None:
        _refuse(transfer, observation.refused, view)
    else:
        ledger.note(transfer, scanned_block=view.scanned_to)
    return False


def include(transfer: Transfer, proof: ObservedTransfer) -> None:
    """It stands in a block. Locks: the caller holds the transfer's lock."""
    ledger.advance(transfer, "include", offer=offer_with(transfer), hint=proof.tx_hash, **_place_of(proof))


def _place_of(proof: ObservedTransfer) -> dict[str, Any]:
    return {"tx_hash": proof.tx_hash, "block_number": proof.block_number, "block_hash": proof.block_hash}


def _confirm(transfer: Transfer, observation: Observation) -> bool:
    """Pay once it stands for good; start over where its block is gone."""
    proof = observation.proof
    if proof is None:
        ledger.advance(transfer, "drop", reason="reorganised", block_number=None, block_hash="")
    elif is_final(proof):
        _pay(transfer, proof)
    elif (proof.tx_hash, proof.block_hash) != (transfer.tx_hash, transfer.block_hash):
        ledger.note(transfer, hint=proof.tx_hash, **_place_of(proof))
    return False


def _pay(transfer: Transfer, proof: ObservedTransfer) -> None:
    """Consume the event on the chain, and call the transfer paid, or neither."""
    if not _prove(transfer, proof):
        refused = Refused(code=Refusal.ALREADY_USED, tx_hash=proof.tx_hash)
        ledger.note(transfer, offer=offer_with(transfer, refused))
        return
    ledger.advance(transfer, "pay", paid_at=now(), **_place_of(proof))


def _prove(transfer: Transfer, proof: ObservedTransfer) -> bool:
    """Write the proof down; False where the event proves another transfer, or is somebody's payment."""
    event = ChainEvent(
        network=transfer.network,
        chain=proof.chain,
        tx_hash=proof.tx_hash,
        kind=proof.kind,
        position=proof.position,
    )
    if not take_event(event, OwnerKind.PROOF):
        return False
    try:
        with transaction.atomic():
            TransferProof.objects.create(
                transfer=transfer,
                **asdict(event),
                base_units=proof.base_units,
                block_number=proof.block_number,
                block_hash=proof.block_hash,
            )
    except IntegrityError:
        return False
    return True


def _take_back(transfer: Transfer) -> None:
    """What was shown is dead: the transfer waits for a wallet again."""
    cleared: dict[str, Any] = {"unsigned": {}, "authorization": {}, "wanted_by": "", "told_at": ""}
    if authorization_of(transfer).get("signature") and "request" not in unsigned_of(transfer):
        cleared["plain_for"] = [*transfer.offer.get("plain_for", []), transfer.sender]
    offer = offer_with(transfer, Refused(code=Refusal.EXPIRED), **cleared)
    ledger.advance(transfer, "lapse", reason=EXPIRED, offer=offer, hint="", tx_hash="")


def _refuse(transfer: Transfer, refused: Refused, view: LegView) -> None:
    """Say why what was told is not it; looking goes on."""
    is_reported = refused.tx_hash == transfer.hint
    facts: dict[str, Any] = {"hint": ""} if is_reported else {}
    if refused != refused_of(transfer) or is_reported:
        facts["offer"] = offer_with(transfer, refused)
    ledger.note(transfer, scanned_block=view.scanned_to, **facts)
