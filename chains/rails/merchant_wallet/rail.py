"""The rail of a merchant's own wallet: make what it is asked to sign, send what it only signed, and look.

Source: docs/money-out.md, Your own wallet.
"""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from chains import ledger
from chains.blockers import Blocked, Blocker
from chains.clients.base import LegView
from chains.clients.registry import SOLANA, client_for
from chains.errors import ChainUnavailable
from chains.models import Transfer
from chains.rails.merchant_wallet.authorizations import authorized_call, is_void
from chains.rails.merchant_wallet.concluding import conclude, include
from chains.rails.merchant_wallet.facts import (
    Refusal,
    Refused,
    authorization_of,
    offer_with,
    senders_of,
    unsigned_of,
    wanted_by,
    was_shown,
)
from chains.rails.merchant_wallet.judging import judge, leg_of
from chains.rails.merchant_wallet.offering import CannotOffer, Offered, make_offer
from chains.rails.merchant_wallet.past import FOUND, sent_before
from chains.registry import Family, chain
from chains.states import TransferStatus
from core.clock import now

OFTEN_FOR, SELDOM = timedelta(minutes=15), timedelta(minutes=1)
"""How long after it was shown, or told, a transfer is looked for often, and how often after that."""
_UNSEEN = (TransferStatus.SIGNED, TransferStatus.BROADCAST)


class MerchantWalletRail:
    """``chains.rails.base.Rail`` over a wallet that is not ours."""

    poll = timedelta(seconds=2)

    def step(self, transfer: Transfer) -> bool:
        """Offer, complete, send on, or look."""
        if transfer.status == TransferStatus.NEW:
            return _found_after_all(transfer) or _offer(transfer)
        is_signed = bool(authorization_of(transfer).get("signature"))
        if transfer.status in _UNSEEN and is_signed and "request" not in unsigned_of(transfer) and _complete(transfer):
            return False  # nobody had made the call that uses the authorization yet
        if transfer.status in _UNSEEN and _is_quiet(transfer):
            return False
        _send_on(transfer)
        view = client_for(transfer.mode).look(leg_of(transfer))
        is_over = _is_over(transfer, view)
        return conclude(transfer, view, is_over=is_over)


def _found_after_all(transfer: Transfer) -> bool:
    """Whether a transfer that was taken back was sent all the same; then nothing else may be offered."""
    if not was_shown(transfer) or not senders_of(transfer):
        return False
    try:
        view = client_for(transfer.mode).look(leg_of(transfer))
    except ChainUnavailable as error:
        raise Blocked(Blocker.AWAITING_WALLET) from error
    proof = judge(transfer, view).proof
    if proof is None:
        return False
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        if locked.status == TransferStatus.NEW:
            ledger.advance(locked, "offer", reason=FOUND, offer=offer_with(locked, wanted_by=""))
            include(locked, proof)
    return True


def _offer(transfer: Transfer) -> bool:
    """Make what the waiting wallet is asked to sign, and store it before anybody sees it. Raises: Blocked."""
    sender = wanted_by(transfer)
    if not sender:
        raise Blocked(Blocker.AWAITING_WALLET)
    try:
        if sent_before(transfer):
            return True
        offered = make_offer(transfer, sender)
    except CannotOffer as cannot:
        _refuse_request(transfer.pk, sender, cannot.reason, keep=False)
        raise Blocked(Blocker.AWAITING_WALLET) from cannot
    except ChainUnavailable as error:
        _refuse_request(transfer.pk, sender, Refusal.CHAIN_UNAVAILABLE, keep=True)
        raise Blocked(Blocker.AWAITING_WALLET) from error
    _hand_out(transfer.pk, sender, offered)
    return False


@transaction.atomic
def _refuse_request(transfer_id: UUID, sender: str, reason: Refusal, *, keep: bool) -> None:
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


def _complete(transfer: Transfer) -> bool:
    """Make the call that uses the authorization; false while the token would not take it. Raises: ChainUnavailable.

    Why nothing is given in its place: a contract may call the signature its own at any moment, so the authorization
    can be used until its time is over.
    """
    call = authorized_call(transfer)
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        if locked.status not in _UNSEEN or authorization_of(locked) != authorization_of(transfer):
            return True
        if call is None:
            ledger.note(locked, offer=offer_with(locked, Refused(code=Refusal.SIGNATURE_NOT_TAKEN)))
            return False
        unsigned = {name: fact for name, fact in unsigned_of(locked).items() if name != "typed_data"}
        ledger.note(locked, offer=offer_with(locked, unsigned={**unsigned, "request": call}))
    return True


def _is_quiet(transfer: Transfer) -> bool:
    """Whether nothing has happened for so long that looking can wait. Why at all: nodes count questions."""
    is_reported = bool(transfer.hint) or transfer.status == TransferStatus.BROADCAST
    shown = transfer.offered_at
    is_young = shown is not None and now() - shown < OFTEN_FOR
    return not is_reported and not is_young and now() - transfer.updated_at < SELDOM


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
    observation = judge(transfer, view)
    if observation.proof is not None or observation.pending or transfer.status not in _UNSEEN:
        return False
    terms = authorization_of(transfer)
    return observation.is_dead or (bool(terms) and terms["valid_before"] < now().timestamp() and is_void(transfer))
