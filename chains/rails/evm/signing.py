"""Signing with the reserved nonce, outside any lock, and storing what was signed before anybody hears of it.

Two workers may sign at the same time; one attempt is stored, and only what is stored is ever sent.
"""

from dataclasses import dataclass
from functools import partial

from django.db import transaction

from chains import ledger
from chains.blockers import Blocked, Blocker, Failure
from chains.clients.evm_preflight import Terms, read_terms
from chains.clients.evm_simulation import TriedCall
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.models import Transfer, TransferAttempt
from chains.models.transfers import AttemptKind
from chains.rails.evm.calls import account_of, call_of, chain_of, idle_call
from chains.rails.evm.fees import Fees, dearer_fees, fair_fees
from chains.rails.evm.preflight import ceiling, preflight_of, would_fail
from chains.signers.base import EvmTransaction, SignedEvm, SignerUnavailable
from chains.signers.policy import sign_stored
from chains.states import TransferStatus
from core.money import BaseUnits
from core.pauses import Paused, is_paused

_UNSETTLED = (TransferStatus.RESERVED, TransferStatus.SIGNED, TransferStatus.BROADCAST)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What is to be signed: to pay, or only to use the nonce up. ``failure`` says why it shall not pay, for good."""

    kind: AttemptKind
    fees: Fees
    gas_limit: int
    failure: str = ""


def sign_first(transfer: Transfer) -> bool:
    """Sign the first attempt with a reserved nonce.

    What cannot pay any more uses its nonce up. Raises: Blocked where the account cannot send anything now.
    """
    if is_paused(Paused.SIGNING):
        raise Blocked(Blocker.SIGNING_PAUSED)
    if account_of(transfer).paused_at is not None:
        raise Blocked(Blocker.SIGNER_PAUSED)
    last = newest_attempt(transfer)
    if transfer.withdrawn_at is not None:
        return _sign(transfer, _idle(transfer, Failure.WITHDRAWN), last)
    preflight = preflight_of(transfer)
    if would_fail(transfer, preflight):
        return _sign(transfer, _idle(transfer, Failure.CHAIN_REJECTED), last)
    if preflight.balance < transfer.base_units:
        return _sign(transfer, _idle(transfer, ""), last)
    return _sign(transfer, _draft(transfer, AttemptKind.PAY, preflight.terms), last)


def sign_dearer(transfer: Transfer, kind: AttemptKind, failure: str = "") -> bool:
    """Sign another attempt with the same nonce that nodes take in place of the last one; false where that cannot be.

    A payment is repeated as it was, but for its fees and its limit of gas.
    """
    last = newest_attempt(transfer)
    if last is None or account_of(transfer).paused_at is not None:
        return False
    call = call_of(transfer, kind)
    terms = _terms_of(transfer, call)
    fees = _outbidding(transfer, last, terms)
    kept = last.gas_limit if last.kind == kind and last.gas_limit is not None else 0
    limit = max(kept, ceiling(terms.gas or 0))
    if fees is None or limit == 0:
        return False
    if terms.coin_balance < call.value + limit * fees.max_fee:
        note_blocker(transfer, Blocker.INSUFFICIENT_GAS)
        return False
    return _sign(transfer, Draft(kind=kind, fees=fees, gas_limit=limit, failure=failure), last)


def _outbidding(transfer: Transfer, last: TransferAttempt, terms: Terms) -> Fees | None:
    before = Fees(max_fee=last.max_fee or BaseUnits(0), priority_fee=last.priority_fee or BaseUnits(0))
    fees = dearer_fees(transfer.chain, terms.market, before)
    if fees is None and not has_been_sent(transfer):
        fees = fair_fees(transfer.chain, terms.market)  # nothing is there that it would have to outbid
    if fees is None:
        note_blocker(transfer, Blocker.FEE_ABOVE_CAP)
    return fees


def newest_attempt(transfer: Transfer) -> TransferAttempt | None:
    """What was signed last."""
    return transfer.attempts.order_by("-sequence").first()


def has_been_sent(transfer: Transfer) -> bool:
    """Whether a node took any attempt, or may have."""
    return transfer.attempts.filter(first_broadcast_at__isnull=False).exists()


@transaction.atomic
def note_blocker(seen: Transfer, reason: Blocker) -> None:
    """Say what a transfer with a signed transaction waits for. Why not raised: it may land all the same."""
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status in _UNSETTLED and transfer.blocker != reason:
        ledger.note(transfer, blocker=reason)


def _idle(transfer: Transfer, failure: str) -> Draft:
    terms = _terms_of(transfer, idle_call(transfer))
    return _draft(transfer, AttemptKind.NOOP, terms, failure)


def _terms_of(transfer: Transfer, call: TriedCall) -> Terms:
    return EVM.pool(transfer.chain).ask(partial(read_terms, call=call))


def _draft(transfer: Transfer, kind: AttemptKind, terms: Terms, failure: str = "") -> Draft:
    """Raises: Blocked where its gas costs too much, or more than the account has."""
    fees = fair_fees(transfer.chain, terms.market)
    if fees is None:
        raise Blocked(Blocker.FEE_ABOVE_CAP)
    if terms.gas is None:
        raise ChainUnavailable(transfer.chain)
    limit = ceiling(terms.gas)
    if terms.coin_balance < call_of(transfer, kind).value + limit * fees.max_fee:
        raise Blocked(Blocker.INSUFFICIENT_GAS)
    return Draft(kind=kind, fees=fees, gas_limit=limit, failure=failure)


def _sign(transfer: Transfer, draft: Draft, last: TransferAttempt | None) -> bool:
    """Sign what follows the last attempt. Raises: Blocked where nobody signs now; the nonce stays the transfer's."""
    try:
        signed = sign_stored(transfer, _unsigned(transfer, draft))
    except SignerUnavailable as refusal:
        if transfer.status != TransferStatus.RESERVED:
            return False
        raise Blocked(refusal.blocker) from None
    return _store(transfer, draft, signed, after=0 if last is None else last.sequence)


def _unsigned(transfer: Transfer, draft: Draft) -> EvmTransaction:
    call, known = call_of(transfer, draft.kind), chain_of(transfer)
    if transfer.nonce is None or known.chain_id is None:
        raise ValueError(f"transfer {transfer.pk} has no nonce or no chain")
    return EvmTransaction(
        chain_id=known.chain_id,
        nonce=transfer.nonce,
        to=call.to,
        value=call.value,
        data=bytes.fromhex(call.data[2:]),
        gas_limit=draft.gas_limit,
        max_fee=draft.fees.max_fee,
        priority_fee=draft.fees.priority_fee,
    )


@transaction.atomic
def _store(seen: Transfer, draft: Draft, signed: SignedEvm, *, after: int) -> bool:
    """Store what was signed, unless another worker was faster or the nonce is not the transfer's any more."""
    transfer = ledger.locked_transfer(seen.pk)
    last = newest_attempt(transfer)
    is_next = (0 if last is None else last.sequence) == after
    is_first = TransferStatus.RESERVED in {seen.status, transfer.status}
    is_as_seen = transfer.nonce == seen.nonce and (transfer.status == seen.status or not is_first)
    if not is_next or not is_as_seen or transfer.status not in _UNSETTLED:
        return True
    TransferAttempt.objects.create(
        transfer=transfer,
        sequence=after + 1,
        kind=draft.kind,
        raw=signed.raw,
        tx_hash=signed.tx_hash,
        gas_limit=draft.gas_limit,
        max_fee=draft.fees.max_fee,
        priority_fee=draft.fees.priority_fee,
    )
    facts = {"tx_hash": signed.tx_hash, "failure": draft.failure or transfer.failure}
    if transfer.status == TransferStatus.RESERVED:
        ledger.advance(transfer, "sign", **facts)
    else:
        ledger.note(transfer, blocker="", **facts)
    return True
