"""Whether a wallet made a transfer already that this database never showed it: the database may be older than that.

Source: docs/adr/0048-a-restored-database-pays-nothing-again.md.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from django.db import transaction

from chains import ledger
from chains.clients.evm_past import Past, Wanted, read_past
from chains.clients.evm_scan import Span
from chains.clients.registry import EVM, SOLANA
from chains.models import Transfer
from chains.rails.merchant_wallet.authorizations import authorization_for, is_used, terms_of
from chains.rails.merchant_wallet.facts import offer_with, senders_of, wanted_by, was_shown
from chains.rails.merchant_wallet.judging import leg_of
from chains.rails.merchant_wallet.offering import plain_call
from chains.registry import Chain, Family, chain
from chains.states import TransferStatus
from core.clock import now

FOUND = "found"


def sent_before(transfer: Transfer) -> bool:
    """Whether the wallet that waits made this transfer before: it is followed then, and nothing is offered.

    Also true while more of the chain has to be searched first. Raises: ChainUnavailable.
    """
    sender, known = wanted_by(transfer), chain(transfer.chain)
    if was_shown(transfer) or not sender or known is None:
        return False
    if known.family is Family.SOLANA:
        # By its reference, which finds it wherever it stands.
        view = SOLANA.look(replace(leg_of(transfer), sender=sender, start_block=0))
        found = [one.tx_hash for one in view.transfers if one.sender == sender]
        return bool(found) and _follow(transfer, sender, hint=found[0], start_block=0)
    return _on_evm(transfer, sender, known)


def _on_evm(transfer: Transfer, sender: str, known: Chain) -> bool:
    """By its mark among what the wallet sent, or by its authorization, of which the token knows whether it was used."""
    authorization = authorization_for(transfer, sender, known, int(now().timestamp()))
    is_authorized = authorization is not None and is_used(authorization, known)
    past = _past(transfer, sender, known)
    if authorization is not None and is_authorized:
        terms = terms_of(authorization)
        return _follow(transfer, sender, start_block=past.start, authorization=terms)
    if past.maybe:
        return _follow(transfer, sender, hint=past.maybe[0], start_block=past.start)
    if past.is_complete or transfer.token_address == known.native_address:
        return False  # for a coin nothing more is claimed: see docs/money-out.md
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        ledger.note(locked, scanned_block=past.scanned_to)
    return True


def _past(transfer: Transfer, sender: str, known: Chain) -> Past:
    call = plain_call(transfer, known)
    sent = bytes.fromhex(call["data"][2:])
    wanted = Wanted(
        senders=(sender,),
        recipient=transfer.recipient,
        token=transfer.token_address,
        to=call["to"],
        value=int(call["value"], 16),
        marked=sent,
        plain=sent,
        since=transfer.created_at,
    )
    span = Span(start=None, scanned_to=transfer.scanned_block)
    return EVM.pool(transfer.chain).ask(partial(read_past, wanted=wanted, span=span))


def _follow(transfer: Transfer, sender: str, *, start_block: int, hint: str = "", **facts: Any) -> bool:
    """As if it had been shown and sent: what the chain shows of it decides, as ever."""
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        if locked.status == TransferStatus.NEW and wanted_by(locked) == sender:
            noted: dict[str, Any] = {
                "wanted_by": "",
                "senders": [*senders_of(locked), sender],
                "told_at": now().isoformat(),
            }
            offer = offer_with(locked, None, **noted, **facts)
            place: dict[str, Any] = {"sender": sender, "start_block": start_block, "hint": hint}
            ledger.advance(locked, "offer", reason=FOUND, offer=offer, offered_at=now(), scanned_block=None, **place)
    return True
