"""Sending what a payer authorized: tried on a node first, stored before any node hears of it, watched until it is over.

A gas account sends one call at a time, so its nonce is what the chain counts. The token honours an authorization once:
one that is sent twice costs gas, and moves nothing. Nothing here says that anybody was paid: that is read from the
chain by the mark of the authorization itself. Source: docs/adr/0114-who-sends-what-an-x402-client-signed.md.
"""

import logging
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef

from chains.calldata.eip3009 import Authorization, domain_separator
from chains.clients.evm_observation import Sought, observation_of
from chains.clients.evm_preflight import Terms, read_terms
from chains.clients.evm_sending import send_raw
from chains.clients.evm_simulation import TriedCall
from chains.clients.registry import EVM
from chains.models import AuthorizedCall, GasAccount
from chains.rails.evm.fees import Fees, dearer_fees, fair_fees, patience
from chains.rails.evm.preflight import ceiling
from chains.registry import Chain, chain
from chains.signers.base import EvmTransaction, SignerUnavailable
from chains.signers.gas import MOST_GAS, sign_authorized
from core.clock import now
from core.money import BaseUnits
from core.pauses import Paused, is_paused

REFUSED, USED, UNTIMELY = "authorization_refused", "authorization_used", "authorization_untimely"
NO_GAS, STOPPED = "gas", "paused"
LANDED, REVERTED, LOST, GIVEN_UP = "landed", "reverted", "lost", "given_up"
MOST_STEPS: Final = 4
RESERVED_FOR: Final = timedelta(minutes=1)
"""How long a nonce waits for its signature. Longer: its worker died, and the account is free again."""
READING_STANDS: Final = timedelta(minutes=10)
"""How long what an account held is believed. Why no longer: who sent coin meanwhile must not wait for a node."""
WAITS_FOR: Final = timedelta(minutes=2)
_LOGGER = logging.getLogger("causeway.transfers")


def gas_account(chain_name: str) -> GasAccount | None:
    """The account that pays for gas on a chain of this network, paused or not; None where there is none."""
    return GasAccount.objects.filter(network=settings.NETWORK_PROFILE, chain=chain_name).first()


def is_stopped(account: GasAccount) -> bool:
    """Whether a person has paused the account, or all signing: what was taken waits, and nothing is handed out."""
    return is_paused(Paused.SIGNING, account.pause_kind)


def why_not_offered(chain_name: str) -> str:
    """Why nobody should sign for a chain now: its account is missing, stopped or empty; else nothing.

    Why asked before a payer signs: an authorization is good for minutes, and a pause lasts longer.
    """
    account = gas_account(chain_name)
    if account is None:
        return NO_GAS
    if is_stopped(account):
        return STOPPED
    is_fresh = account.read_at is not None and now() - account.read_at <= READING_STANDS
    return NO_GAS if is_fresh and account.calls_left == 0 else ""


def why_not(account: GasAccount, given: Authorization, signature: str) -> str:
    """Why a token would not take an authorization now, as a node says; empty where it would. No transaction is open.

    Raises: ChainUnavailable.
    """
    if EVM.domain_separator(account.chain, given.token) != domain_separator(given.chain_id, given.token):
        return REFUSED
    if EVM.is_used(account.chain, given.token, given.holder, given.nonce):
        return USED
    is_taken = EVM.would_take(account.chain, given.token, account.address, given.calldata(signature))
    return "" if is_taken else REFUSED


def advance_call(call_id: UUID) -> AuthorizedCall:
    """Take a call as far as it will go now. No transaction is open. Raises: ChainUnavailable."""
    for _ in range(MOST_STEPS):
        call = _stored(call_id)
        if call.ended_at is not None or not _step(call):
            break
    return _stored(call_id)


def give_up_call(call_id: UUID) -> AuthorizedCall:
    """What was not signed never will be; of what was, see what became. No transaction is open.

    Raises: ChainUnavailable.
    """
    call = _stored(call_id)
    unsigned = AuthorizedCall.objects.filter(pk=call_id, raw="", ended_at=None)
    if not unsigned.update(ended_at=now(), outcome=GIVEN_UP) and call.ended_at is None and call.tx_hashes:
        _look(call)
    return _stored(call_id)


def _stored(call_id: UUID) -> AuthorizedCall:
    return AuthorizedCall.objects.select_related("account").get(pk=call_id)


def _step(call: AuthorizedCall) -> bool:
    """Whether something follows at once."""
    if is_stopped(call.account):
        return bool(call.tx_hashes) and _look(call)
    if call.nonce is None:
        return _begin(call)
    if not call.tx_hashes:
        return _sign(call, Fees(max_fee=_fee(call.max_fee), priority_fee=_fee(call.priority_fee)))
    return _look(call)


def _begin(call: AuthorizedCall) -> bool:
    """Try the call on a node; then write down at which nonce it is sent, unless another one of the account is."""
    is_over = call.valid_before <= now().timestamp()
    reason = UNTIMELY if is_over else why_not(call.account, authorization_of(call), call.signature)
    if reason:
        return _end(call, reason)
    if _is_busy(call) or not is_its_turn(call):
        return False
    terms = EVM.pool(call.account.chain).ask(partial(read_terms, call=_tried(call)))
    fees = fair_fees(call.account.chain, terms.market)
    if terms.gas is None or ceiling(terms.gas) > MOST_GAS:
        return _end(call, REFUSED)
    if fees is None or terms.known_nonces != terms.used_nonces:
        return False
    limit = ceiling(terms.gas)
    if terms.coin_balance < limit * fees.max_fee:
        _LOGGER.error("gas_account_empty: %s holds too little for a call", call.account)
        return False
    return _reserve(call, terms, fees, limit)


def _is_busy(call: AuthorizedCall) -> bool:
    """Whether another call of the account is on its way. It is looked at: who ordered it may look no more."""
    underway = AuthorizedCall.objects.filter(account=call.account, nonce__isnull=False, ended_at=None)
    other = underway.select_related("account").exclude(pk=call.pk).first()
    if other is None:
        return False
    if other.tx_hashes:
        _look(other)
    elif now() - (other.acted_at or other.created_at) > RESERVED_FOR:
        _end(other, LOST)
    return underway.filter(pk=other.pk).exists()


def is_its_turn(call: AuthorizedCall) -> bool:
    """Whether no call of another merchant waits that had the account longer ago.

    Why turns: an account sends one call after the other, and whoever has very many would let the others' run out.
    Why only those of the last ``WAITS_FOR``: what nobody takes on any more must hold up nobody.
    """
    calls = AuthorizedCall.objects.filter(account=call.account)
    sent = calls.filter(nonce__isnull=False)
    own = sent.filter(merchant_id=call.merchant_id).aggregate(last=Max("nonce"))["last"]
    if own is None:
        return True
    waiting = calls.filter(nonce=None, ended_at=None, created_at__gt=now() - WAITS_FOR)
    others = waiting.filter(valid_before__gt=int(now().timestamp())).exclude(merchant_id=call.merchant_id)
    had_it_since = sent.filter(merchant_id=OuterRef("merchant_id"), nonce__gt=own)
    return not others.filter(~Exists(had_it_since)).exists()


def _reserve(call: AuthorizedCall, terms: Terms, fees: Fees, limit: int) -> bool:
    """Why the database decides: two workers may come here with two calls of one account at once."""
    facts = {"nonce": terms.used_nonces, "gas_limit": limit, "acted_at": now()}
    facts |= {"max_fee": fees.max_fee, "priority_fee": fees.priority_fee}
    try:
        with transaction.atomic():
            mine = AuthorizedCall.objects.filter(pk=call.pk, nonce=None, ended_at=None)
            return mine.update(**facts) == 1
    except IntegrityError:
        return False  # another call of the account is on its way


def _sign(call: AuthorizedCall, fees: Fees) -> bool:
    """Sign at the stored nonce, store what was signed, and hand it to every node."""
    try:
        signed = sign_authorized(call.pk, _unsigned(call, fees))
    except SignerUnavailable as refusal:
        _LOGGER.error("gas_account_silent: %s does not sign: %s", call.account, refusal)
        return False
    hashes = [*call.tx_hashes, signed.tx_hash]
    facts = {"raw": signed.raw, "tx_hashes": hashes, "acted_at": now()}
    fees_now = {"max_fee": fees.max_fee, "priority_fee": fees.priority_fee}
    mine = AuthorizedCall.objects.filter(pk=call.pk, nonce=call.nonce, raw=call.raw, ended_at=None)
    if mine.update(**facts, **fees_now):
        EVM.pool(call.account.chain).ask_every(partial(send_raw, raw=signed.raw))
    return False


def _look(call: AuthorizedCall) -> bool:
    """Whether it landed, was passed over, or waits too long and is offered more."""
    pool = EVM.pool(call.account.chain)
    seen, _ = pool.ask_one(partial(observation_of, sought=_sought(call)))
    if seen.landing is not None:
        return _end(call, LANDED if seen.landing.succeeded else REVERTED)
    if call.nonce is not None and seen.used_nonces > call.nonce:
        return _end(call, LOST)
    if is_stopped(call.account):
        return False
    known, since = _chain(call), call.acted_at or call.created_at
    if now() - since >= patience(known):
        terms = pool.ask(partial(read_terms, call=_tried(call)))
        before = Fees(max_fee=_fee(call.max_fee), priority_fee=_fee(call.priority_fee))
        dearer = dearer_fees(known.name, terms.market, before)
        if dearer is not None and terms.coin_balance >= (call.gas_limit or MOST_GAS) * dearer.max_fee:
            return _sign(call, dearer)
    if not seen.is_pending:
        pool.ask_every(partial(send_raw, raw=call.raw))
    return False


def _end(call: AuthorizedCall, outcome: str) -> bool:
    _LOGGER.info("authorized call %s of %s: %s", call.pk, call.account, outcome)
    AuthorizedCall.objects.filter(pk=call.pk, ended_at=None).update(ended_at=now(), outcome=outcome)
    return False


def authorization_of(call: AuthorizedCall) -> Authorization:
    """What was signed, of a stored call. Raises: ValueError on a chain that nobody knows."""
    return Authorization(
        chain_id=_chain(call).chain_id or 0,
        token=call.token_address,
        holder=call.holder,
        recipient=call.recipient,
        base_units=call.base_units,
        valid_after=call.valid_after,
        valid_before=call.valid_before,
        nonce=call.authorization_nonce,
    )


def _chain(call: AuthorizedCall) -> Chain:
    known = chain(call.account.chain)
    if known is None:
        raise ValueError(f"authorized call {call.pk} is on no known chain")
    return known


def _tried(call: AuthorizedCall) -> TriedCall:
    calldata = authorization_of(call).calldata(call.signature)
    return TriedCall(sender=call.account.address, to=call.token_address, value=0, data=calldata)


def _sought(call: AuthorizedCall) -> Sought:
    return Sought(
        sender=call.account.address,
        recipient=call.recipient,
        token=call.token_address,
        base_units=BaseUnits(call.base_units),
        hashes=tuple(call.tx_hashes),
    )


def _unsigned(call: AuthorizedCall, fees: Fees) -> EvmTransaction:
    known = _chain(call)
    return EvmTransaction(
        chain_id=known.chain_id or 0,
        nonce=-1 if call.nonce is None else call.nonce,
        to=call.token_address,
        value=0,
        data=bytes.fromhex(_tried(call).data[2:]),
        gas_limit=call.gas_limit or 0,
        max_fee=fees.max_fee,
        priority_fee=fees.priority_fee,
    )


def _fee(stored: BaseUnits | None) -> BaseUnits:
    return BaseUnits(0) if stored is None else stored
