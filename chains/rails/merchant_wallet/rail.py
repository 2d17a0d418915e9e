"""The rail of a merchant's own wallet: make what it is asked to sign, send what it only signed, and look.

Source: rulings, merchant_wallet.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from chains import ledger
from chains.clients.base import LegView, ObservedTransfer
from chains.clients.registry import SOLANA, client_for
from chains.errors import ChainUnavailable
from chains.models import Transfer, TransferProof
from chains.rails.base import Hindered, Hindrance
from chains.rails.merchant_wallet.authorizations import authorized_call, is_void
from chains.rails.merchant_wallet.facts import (
    Refusal,
    Refused,
    authorization_of,
    offer_with,
    refused_of,
    senders_of,
    unsigned_of,
    wanted_by,
    was_shown,
)
from chains.rails.merchant_wallet.judging import Sight, is_final, judge, leg_of
from chains.rails.merchant_wallet.offering import CannotOffer, Offered, make_offer, plain_call
from chains.registry import Family, chain
from chains.states import TransferStatus
from core.clock import now

OFTEN_FOR, SELDOM = timedelta(minutes=15), timedelta(minutes=1)
"""How long after it was shown, or told, a transfer is looked for often, and how often after that."""
EXPIRED, FOUND = "expired", "found"
_UNSEEN = (TransferStatus.SIGNED, TransferStatus.BROADCAST)


class MerchantWalletRail:
    """``chains.rails.base.Rail`` over a wallet that is not ours."""

    poll = timedelta(seconds=2)

    def step(self, transfer: Transfer) -> bool:
        """Offer, complete, send on, or look."""
        if transfer.status == TransferStatus.NEW:
            return _found_after_all(transfer) or _offer(transfer)
        if transfer.status in _UNSEEN and _awaits_call(transfer):
            return _complete(transfer)
        if transfer.status in _UNSEEN and _is_quiet(transfer):
            return False
        _send_on(transfer)
        view = client_for(transfer.mode).look(leg_of(transfer))
        is_over = _is_over(transfer, view)
        return _conclude(transfer, view, is_over=is_over)


def _found_after_all(transfer: Transfer) -> bool:
    """Whether a transfer that was taken back was sent all the same; then nothing else may be offered."""
    if not was_shown(transfer) or not senders_of(transfer):
        return False
    try:
        view = client_for(transfer.mode).look(leg_of(transfer))
    except ChainUnavailable as error:
        raise Hindered(Hindrance.AWAITING_WALLET) from error
    proof = judge(transfer, view).proof
    if proof is None:
        return False
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        if locked.status == TransferStatus.NEW:
            ledger.advance(locked, "offer", reason=FOUND, offer=offer_with(locked, wanted_by=""))
            _include(locked, proof)
    return True


def _offer(transfer: Transfer) -> bool:
    """Make what the waiting wallet is asked to sign, and store it before anybody sees it. Raises: Hindered."""
    sender = wanted_by(transfer)
    if not sender:
        raise Hindered(Hindrance.AWAITING_WALLET)
    try:
        offered = make_offer(transfer, sender)
    except CannotOffer as cannot:
        _refuse_wish(transfer.pk, sender, cannot.reason, keep=False)
        raise Hindered(Hindrance.AWAITING_WALLET) from cannot
    except ChainUnavailable as error:
        _refuse_wish(transfer.pk, sender, Refusal.CHAIN_UNAVAILABLE, keep=True)
        raise Hindered(Hindrance.AWAITING_WALLET) from error
    _hand_out(transfer.pk, sender, offered)
    return False


@transaction.atomic
def _refuse_wish(transfer_id: UUID, sender: str, reason: Refusal, *, keep: bool) -> None:
    transfer = ledger.locked_transfer(transfer_id)
    if transfer.status == TransferStatus.NEW and wanted_by(transfer) == sender:
        kept = sender if keep else ""
        ledger.note(transfer, offer=offer_with(transfer, Refused(code=reason), wanted_by=kept))


@transaction.atomic
def _hand_out(transfer_id: UUID, sender: str, offered: Offered) -> None:
    """Why the first block stays through all tries: whichever of them lands makes the transfer."""
    transfer = ledger.locked_transfer(transfer_id)
    if transfer.status != TransferStatus.NEW or wanted_by(transfer) != sender:
        return
    senders = [*(one for one in senders_of(transfer) if one != sender), sender]
    offer = offer_with(
        transfer,
        wanted_by="",
        senders=senders,
        unsigned=offered.unsigned,
        authorization=offered.authorization,
        told_at="",
    )
    start = offered.start_block if transfer.start_block is None else transfer.start_block
    ledger.advance(transfer, "offer", offer=offer, sender=sender, start_block=start, offered_at=now(), hint="")


def _awaits_call(transfer: Transfer) -> bool:
    """Whether the wallet signed its authorization, and nobody made the call that uses it yet."""
    is_signed = bool(authorization_of(transfer).get("signature"))
    return is_signed and "request" not in unsigned_of(transfer)


def _complete(transfer: Transfer) -> bool:
    """Make the call that uses the authorization. A wallet without an ordinary key is given a plain transfer instead.

    Why that is safe: what such a wallet signed authorizes nothing.
    """
    known, call = chain(transfer.chain), authorized_call(transfer)
    if known is None:
        raise ChainUnavailable(transfer.chain)
    request = call or {"from": transfer.sender, **plain_call(transfer, known)}
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        if locked.status in _UNSEEN and authorization_of(locked) == authorization_of(transfer):
            unsigned = {name: fact for name, fact in unsigned_of(locked).items() if name != "typed_data"}
            terms = authorization_of(locked) if call else {}
            offer = offer_with(locked, unsigned={**unsigned, "request": request}, authorization=terms)
            ledger.note(locked, offer=offer)
    return False


def _is_quiet(transfer: Transfer) -> bool:
    """Whether nothing has happened for so long that looking can wait. Why at all: nodes count questions."""
    is_told = bool(transfer.hint) or transfer.status == TransferStatus.BROADCAST
    shown = transfer.offered_at
    is_young = shown is not None and now() - shown < OFTEN_FOR
    return not is_told and not is_young and now() - transfer.updated_at < SELDOM


def _send_on(transfer: Transfer) -> None:
    """Send, or send again, what a Solana wallet signed. Whether a node took it proves nothing."""
    known = chain(transfer.chain)
    if known is None or known.family is not Family.SOLANA or transfer.status not in _UNSEEN:
        return
    attempt = transfer.attempts.filter(tx_hash=transfer.hint).first() if transfer.hint else None
    if attempt is None or not SOLANA.broadcast(transfer.chain, attempt.raw):
        return
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        if locked.status == TransferStatus.SIGNED and locked.hint == attempt.tx_hash:
            transfer.attempts.filter(pk=attempt.pk, first_broadcast_at=None).update(first_broadcast_at=now())
            ledger.advance(locked, "broadcast", tx_hash=attempt.tx_hash)


def _is_over(transfer: Transfer, view: LegView) -> bool:
    """Whether what was shown can never land: its blockhash is dead, or its authorization void.

    Raises: ChainUnavailable.
    """
    sight = judge(transfer, view)
    if sight.proof is not None or sight.pending or transfer.status not in _UNSEEN:
        return False
    terms = authorization_of(transfer)
    return sight.is_dead or (bool(terms) and terms["valid_before"] < now().timestamp() and is_void(transfer))


@transaction.atomic
def _conclude(seen: Transfer, view: LegView, *, is_over: bool) -> bool:
    """Write down what was seen. Why only for what was asked about: a page may have told something new meanwhile."""
    transfer = ledger.locked_transfer(seen.pk)
    if (transfer.status, transfer.hint, transfer.sender) != (seen.status, seen.hint, seen.sender):
        return False
    sight = judge(transfer, view)
    if transfer.status == TransferStatus.MINED:
        return _confirm(transfer, sight)
    if sight.proof is not None:
        _include(transfer, sight.proof)
        return True
    if is_over:
        _take_back(transfer)
    elif sight.pending and transfer.status == TransferStatus.SIGNED:
        ledger.advance(transfer, "broadcast", tx_hash=sight.pending)
    elif sight.refused is not None:
        _refuse(transfer, sight.refused, view)
    else:
        ledger.note(transfer, scanned_block=view.scanned_to)
    return False


def _include(transfer: Transfer, proof: ObservedTransfer) -> None:
    ledger.advance(transfer, "include", offer=offer_with(transfer), hint=proof.tx_hash, **_place_of(proof))


def _place_of(proof: ObservedTransfer) -> dict[str, Any]:
    return {"tx_hash": proof.tx_hash, "block_number": proof.block_number, "block_hash": proof.block_hash}


def _confirm(transfer: Transfer, sight: Sight) -> bool:
    """Pay once it stands for good; start over where its block is gone."""
    proof = sight.proof
    if proof is None:
        ledger.advance(transfer, "drop", reason="reorganised", block_number=None, block_hash="")
    elif is_final(proof):
        _pay(transfer, proof)
    elif (proof.tx_hash, proof.block_hash) != (transfer.tx_hash, transfer.block_hash):
        ledger.note(transfer, hint=proof.tx_hash, **_place_of(proof))
    return False


def _pay(transfer: Transfer, proof: ObservedTransfer) -> None:
    """Consume the event on the chain, and call the transfer paid, or neither."""
    try:
        with transaction.atomic():
            TransferProof.objects.create(
                transfer=transfer,
                network=transfer.network,
                chain=proof.chain,
                tx_hash=proof.tx_hash,
                kind=proof.kind,
                position=proof.position,
                base_units=proof.base_units,
                block_number=proof.block_number,
                block_hash=proof.block_hash,
            )
    except IntegrityError:
        refused = Refused(code=Refusal.ALREADY_USED, tx_hash=proof.tx_hash)
        ledger.note(transfer, offer=offer_with(transfer, refused))
        return
    ledger.advance(transfer, "pay", paid_at=now(), **_place_of(proof))


def _take_back(transfer: Transfer) -> None:
    """What was shown is dead: the transfer waits for a wallet again."""
    offer = offer_with(transfer, Refused(code=Refusal.EXPIRED), unsigned={}, authorization={}, wanted_by="", told_at="")
    ledger.advance(transfer, "lapse", reason=EXPIRED, offer=offer, hint="", tx_hash="")


def _refuse(transfer: Transfer, refused: Refused, view: LegView) -> None:
    """Say why what was told is not it; looking goes on."""
    is_told = refused.tx_hash == transfer.hint
    facts: dict[str, Any] = {"hint": ""} if is_told else {}
    if refused != refused_of(transfer) or is_told:
        facts["offer"] = offer_with(transfer, refused)
    ledger.note(transfer, scanned_block=view.scanned_to, **facts)
