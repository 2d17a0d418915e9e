"""Whether a transfer was sent already, as the chain itself says: this database may be older than its payment.

Asked before every nonce. What carries the transfer's own mark is taken up and followed. What carries none, but is
as large and went to the same address, holds the transfer until a person says whether it is this one.
Source: docs/adr/0048-a-restored-database-pays-nothing-again.md.
"""

import logging
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import transaction

from chains import ledger
from chains.blockers import Blocked, Blocker
from chains.clients.evm_past import Past, SentEvm, Wanted, read_past, read_sent
from chains.clients.evm_scan import Span
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.finality import needs_second_node
from chains.models import SigningAccount, Transfer, TransferAttempt
from chains.rails.accounts import accounts_before
from chains.rails.evm.calls import chain_of, marked_call, unmarked_call
from chains.signers.base import EvmTransaction, SignedEvm
from chains.signers.evm import put_together
from chains.states import TransferStatus
from core import transitions
from core.clock import now
from core.money import BaseUnits

FOUND_ON_CHAIN = "found_on_chain"
MOST_MAYBE = 20
"""Remembered for one transfer: more than a person looks through."""
_LOGGER = logging.getLogger("causeway.transfers")


def look_back(transfer: Transfer) -> bool:
    """Whether the chain has to be searched on, or showed that the transfer was sent already and is followed now.

    False: nothing of it is there. Raises: Blocked where a person must say what something is; ChainUnavailable.
    """
    wanted = _wanted(transfer)
    if transfer.past.get("paid_by"):
        return _take_word(transfer, wanted)
    past = _agreed_past(transfer, wanted)
    if past.own:
        _take_up(transfer, min(past.own, key=lambda one: one.nonce))
        return True
    if _note(transfer, past):
        raise Blocked(Blocker.MAYBE_PAID_BEFORE)
    return not past.is_complete


def _wanted(transfer: Transfer) -> Wanted:
    call = marked_call(transfer)
    return Wanted(
        senders=tuple(account.address for account in accounts_before(transfer)),
        recipient=transfer.recipient,
        token=transfer.token_address,
        to=call.to,
        value=call.value,
        marked=bytes.fromhex(call.data[2:]),
        plain=bytes.fromhex(unmarked_call(transfer).data[2:]),
        since=transfer.created_at,
        known=_known(transfer),
    )


def _known(transfer: Transfer) -> frozenset[str]:
    """Hashes of what this database signed for transfers that look like this one."""
    alike = TransferAttempt.objects.filter(
        transfer__merchant_id=transfer.merchant_id,
        transfer__chain=transfer.chain,
        transfer__recipient=transfer.recipient,
        transfer__base_units=transfer.base_units,
    )
    return frozenset(alike.values_list("tx_hash", flat=True))


def _agreed_past(transfer: Transfer, wanted: Wanted) -> Past:
    """What one node shows, and another one, where there is one.

    What either shows counts: it has the account's own signature. That there is nothing must be said by both where
    so much is at stake. Raises: ChainUnavailable.
    """
    pool = EVM.pool(transfer.chain)
    span = Span(start=transfer.start_block, scanned_to=transfer.scanned_block)
    first, endpoint = pool.ask_one(partial(read_past, wanted=wanted, span=span))
    if first.own or not pool.has_second:
        return first
    again = partial(read_past, wanted=wanted, span=replace(span, start=first.start))
    other = pool.ask_second(again, endpoint)
    if other is None:
        if needs_second_node(transfer.value_usd):
            raise ChainUnavailable(transfer.chain)
        return first
    return replace(
        first,
        own=other.own,
        maybe=tuple(dict.fromkeys([*first.maybe, *other.maybe])),
        scanned_to=min(first.scanned_to or 0, other.scanned_to or 0),
        is_complete=first.is_complete and other.is_complete,
    )


@transaction.atomic
def _note(seen: Transfer, past: Past) -> bool:
    """Remember how far was searched; says whether something is there of which only a person knows what it is."""
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status != TransferStatus.NEW:
        return False
    noted: list[str] = transfer.past.get("maybe", [])
    new = [tx_hash for tx_hash in past.maybe if tx_hash not in noted][: MOST_MAYBE - len(noted)]
    scanned = max(past.scanned_to or 0, transfer.scanned_block or 0)
    facts: dict[str, Any] = {"start_block": past.start, "scanned_block": scanned}
    if new:
        facts["past"] = {**transfer.past, "maybe": [*noted, *new]}
    ledger.note(transfer, **facts)
    # Those count no more that somebody called another payment, or that this database signed meanwhile.
    settled = {*transfer.past.get("others", []), *_known(transfer)}
    opened = [tx_hash for tx_hash in [*noted, *new] if tx_hash not in settled]
    for tx_hash in opened:
        if tx_hash in new:
            _LOGGER.error("maybe_paid_before %s: %s on %s", transfer.pk, tx_hash, transfer.chain)
    return bool(opened)


def _take_word(transfer: Transfer, wanted: Wanted) -> bool:
    """Follow what a person called this payment, if the chain shows that it can be. Raises: Blocked."""
    paid_by = str(transfer.past["paid_by"])
    asked = replace(wanted, known=())
    sent = EVM.pool(transfer.chain).ask(partial(read_sent, wanted=asked, tx_hash=paid_by))
    if sent is not None and not TransferAttempt.objects.filter(tx_hash=paid_by).exists():
        _take_up(transfer, sent)
        return True
    _LOGGER.error("not_that_payment %s: %s on %s", transfer.pk, paid_by, transfer.chain)
    with transaction.atomic():
        locked = ledger.locked_transfer(transfer.pk)
        kept = {name: value for name, value in locked.past.items() if name != "paid_by"}
        maybe = list(dict.fromkeys([*kept.get("maybe", []), paid_by]))
        ledger.note(locked, past={**kept, "maybe": maybe})
    raise Blocked(Blocker.MAYBE_PAID_BEFORE)


def _take_up(seen: Transfer, sent: SentEvm) -> None:
    """Store what was sent as the transfer's own, and follow it. Locks: the transfer, then its signing account.

    Raises: ChainUnavailable where a node made it up.
    """
    sender = next(account for account in accounts_before(seen) if account.address == sent.sender)
    signed = _signed(seen, sent)
    with transaction.atomic():
        transfer = ledger.locked_transfer(seen.pk)
        if transfer.status != TransferStatus.NEW:
            return
        account = transitions.locked(SigningAccount.objects.all(), pk=sender.pk)
        _LOGGER.error("transfer_sent_before %s: %s on %s", transfer.pk, sent.tx_hash, transfer.chain)
        TransferAttempt.objects.create(
            transfer=transfer,
            sequence=transfer.attempts.count() + 1,
            raw=signed.raw,
            tx_hash=signed.tx_hash,
            gas_limit=sent.gas_limit,
            max_fee=BaseUnits(sent.max_fee),
            priority_fee=BaseUnits(sent.priority_fee),
            first_broadcast_at=now(),
        )
        facts: dict[str, Any] = {"account": account, "sender": account.address, "tx_hash": signed.tx_hash}
        is_given = account.transfers.filter(nonce=sent.nonce).exists()  # then it is followed by its hash alone
        facts |= {"nonce": None if is_given else sent.nonce, "failure": ""}
        ledger.advance(transfer, "sign", reason=FOUND_ON_CHAIN, **facts)
        ledger.advance(transfer, "broadcast")
        if account.next_nonce == sent.nonce:
            SigningAccount.objects.filter(pk=account.pk).update(next_nonce=sent.nonce + 1)


def _signed(transfer: Transfer, sent: SentEvm) -> SignedEvm:
    """The very bytes, put together again. Raises: ChainUnavailable where the account's key did not sign them."""
    chain_id = chain_of(transfer).chain_id
    rebuilt = EvmTransaction(
        chain_id=chain_id or 0,
        nonce=sent.nonce,
        to=sent.to,
        value=sent.value,
        data=sent.data,
        gas_limit=sent.gas_limit,
        max_fee=sent.max_fee,
        priority_fee=sent.priority_fee,
    )
    try:
        signed = put_together(rebuilt, sent.r, sent.s, sent.sender)
    except ValueError:
        raise ChainUnavailable(transfer.chain) from None
    if signed.tx_hash != sent.tx_hash:
        raise ChainUnavailable(transfer.chain)
    return signed
