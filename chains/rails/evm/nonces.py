"""Giving a transfer its nonce: one, for ever, under the account's lock, and not while somebody else uses the key."""

import logging
from functools import partial

from django.db import transaction

from chains import ledger
from chains.blockers import Blocked, Blocker
from chains.clients.evm_preflight import NonceCounts, Preflight, read_counts
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.models import SigningAccount, Transfer
from chains.rails.accounts import FOREIGN_NONCE, UNKNOWN_PENDING
from chains.rails.evm.calls import account_of
from chains.signers.policy import check_policy
from chains.states import TransferStatus
from core import transitions
from core.clock import now
from core.money import BaseUnits

MOST_IN_FLIGHT = 16
"""Transfers of one account on their way to a block. Why: nodes keep about so many of an account; a stuck one holds up
all behind it."""
_ON_THE_WAY = (TransferStatus.RESERVED, TransferStatus.SIGNED, TransferStatus.BROADCAST)
"""In no block yet: what they move is not gone from the balance."""
_LOGGER = logging.getLogger("causeway.transfers")


class _ForeignUse(Exception):
    """The chain counts more transactions of the account than we gave nonces."""


class _UnknownPending(Exception):
    """A transaction waits that nobody here signed: its nonce may be any that we would take."""


def take_nonce(transfer: Transfer, preflight: Preflight) -> bool:
    """Reserve the next nonce, in one transaction with the caps.

    Raises: Blocked or Rejected. Locks: transfer, then account.
    """
    account = account_of(transfer)
    counts = _agreed_counts(account) if account.next_nonce is None else None
    try:
        return _reserve(transfer, preflight, counts)
    except _ForeignUse:
        if _agreed_counts(account).latest <= _own_nonces(account):
            raise ChainUnavailable(transfer.chain) from None
        stop_account(account, FOREIGN_NONCE, next_nonce=None)
    except _UnknownPending:
        if _agreed_counts(account).pending <= _own_nonces(account):
            raise ChainUnavailable(transfer.chain) from None
        stop_account(account, UNKNOWN_PENDING)
    raise Blocked(Blocker.SIGNER_PAUSED)


@transaction.atomic
def stop_account(account: SigningAccount, reason: str, **changes: int | None) -> None:
    """Let nothing more be sent from an account until a person says so, and say why where operators look."""
    locked = transitions.locked(SigningAccount.objects.all(), pk=account.pk)
    if locked.paused_at is None:
        _LOGGER.error("signer_paused %s: account %s on %s sends no more", reason, locked.address, locked.chain)
        changed = {"paused_at": now(), "paused_reason": reason, **changes}
        SigningAccount.objects.filter(pk=locked.pk).update(**changed)


@transaction.atomic
def _reserve(seen: Transfer, preflight: Preflight, counts: NonceCounts | None) -> bool:
    transfer = ledger.locked_transfer(seen.pk)
    if transfer.status != TransferStatus.NEW:
        return True
    account = transitions.locked(SigningAccount.objects.all(), pk=transfer.account_id)
    if account.next_nonce is None and counts is None:
        return True  # it was taken away meanwhile, and is to be read again
    check_policy(transfer, account)
    _check_room(transfer, account, preflight.balance)
    nonce = _first_nonce(account, counts) if account.next_nonce is None and counts else account.next_nonce
    if nonce is None or preflight.terms.used_nonces > nonce:
        raise _ForeignUse
    if preflight.terms.known_nonces > nonce:
        raise _UnknownPending
    SigningAccount.objects.filter(pk=account.pk).update(next_nonce=nonce + 1)
    start = preflight.terms.head if transfer.start_block is None else transfer.start_block
    ledger.advance(transfer, "reserve", nonce=nonce, sender=account.address, start_block=start, failure="")
    return True


def _check_room(transfer: Transfer, account: SigningAccount, balance: BaseUnits) -> None:
    """Raises: Blocked where too much of the account's is under way."""
    on_the_way = account.transfers.filter(status__in=_ON_THE_WAY)
    if on_the_way.count() >= MOST_IN_FLIGHT:
        raise Blocked(Blocker.SIGNER_BUSY)
    leaving = on_the_way.filter(token_address=transfer.token_address)
    if sum(leaving.values_list("base_units", flat=True)) + transfer.base_units > balance:
        raise Blocked(Blocker.SIGNER_BUSY)


def _first_nonce(account: SigningAccount, counts: NonceCounts) -> int:
    """Where the account begins to be ours. Raises: _UnknownPending."""
    nonce = max(counts.latest, _own_nonces(account))
    if counts.pending > nonce:
        raise _UnknownPending
    return nonce


def _own_nonces(account: SigningAccount) -> int:
    """One above the highest nonce that was given here; what is below was used by us or before us."""
    account.refresh_from_db(fields=["next_nonce"])
    if account.next_nonce is not None:
        return account.next_nonce
    highest = account.transfers.filter(nonce__isnull=False).order_by("-nonce").values_list("nonce", flat=True).first()
    return 0 if highest is None else highest + 1


def _agreed_counts(account: SigningAccount) -> NonceCounts:
    """The account's counts as two nodes tell them, where there are two. Raises: ChainUnavailable."""
    pool = EVM.pool(account.chain)
    question = partial(read_counts, sender=account.address)
    counts, endpoint = pool.ask_one(question)
    if pool.has_second and pool.ask_second(question, endpoint) != counts:
        raise ChainUnavailable(account.chain)
    return counts
