"""What stands between a key and a transaction: whose it is, how much it may send, and that it is stored.

``check_policy`` is asked when a nonce or an attempt is taken, under the account's lock; ``sign_stored`` signs, with no
lock held, and only what the stored row says. Source: docs/adr/0016; docs/signing.md, What is signed.
"""

import logging
from datetime import timedelta
from typing import overload

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum

from chains.blockers import Blocked, Blocker, Failure, Rejected
from chains.models import SigningAccount, Transfer
from chains.signers.base import EvmTransaction, SignedEvm
from chains.signers.evm_contents import refuse_other_transaction, sends_nothing
from chains.signers.refusal import BeyondPolicy, NotStored, SignerPaused, SigningPaused
from chains.signers.registry import signer_of
from chains.signers.solana_contents import refuse_other_message
from chains.signers.worth import counted_usd
from chains.states import STARTED, TransferStatus
from core.clock import now
from core.money import ZERO_USD, UsdAmount
from core.pauses import Paused, is_paused

DAY = timedelta(hours=24)
_UNSIGNED = (TransferStatus.NEW, TransferStatus.RESERVED)
_SIGNABLE = (TransferStatus.NEW, *STARTED)

logger = logging.getLogger("causeway.signers")


def check_policy(transfer: Transfer, account: SigningAccount) -> None:
    """Refuse a transfer that the account may not send, or not now.

    What it is worth today counts where that is more than its frozen dollars; of the day's others the frozen ones do.
    Raises: Rejected (cap_exceeded, destination_blocked); Blocked (signing_paused, signer_paused, day_cap_reached,
    price_missing, and signer_unavailable for another merchant's, mode's, network's or chain's transfer: a fault).
    Locks: the caller holds the account's lock, and read the account under it; else two could share the day's rest.
    """
    fault = _foreign(transfer, account)
    if fault:
        logger.error("transfer %s was not taken by account %s: another %s", transfer.pk, account.pk, fault)
        raise Blocked(Blocker.SIGNER_UNAVAILABLE)
    if is_paused(Paused.SIGNING):
        raise Blocked(Blocker.SIGNING_PAUSED)
    if account.paused_at is not None:
        raise Blocked(Blocker.SIGNER_PAUSED)
    _refuse_beyond_caps(transfer, account)


def sent_within_a_day(account: SigningAccount, *, besides: Transfer | None = None) -> UsdAmount:
    """What an account may be sending now, and what it paid in the last 24 hours, in dollars.

    Why not by when a transfer was ordered: it can wait for days, and a waiting one must not take the rest of a day.
    """
    counted = Q(status__in=STARTED) | Q(status=TransferStatus.PAID, paid_at__gt=now() - DAY)
    rows = Transfer.objects.filter(counted, account=account)
    if besides is not None:
        rows = rows.exclude(pk=besides.pk)
    total: UsdAmount | None = rows.aggregate(total=Sum("value_usd"))["total"]
    return ZERO_USD if total is None else total


def is_allowed_destination(account: SigningAccount, recipient: str) -> bool:
    """Whether an account may send there: anywhere, unless it has a list. Never to itself."""
    is_evm = recipient.startswith("0x")  # there letters' case tells nothing apart
    if recipient == account.address or (is_evm and recipient.lower() == account.address.lower()):
        return False
    return not account.allowed_destinations or recipient in account.allowed_destinations


@overload
def sign_stored(transfer: Transfer, wanted: EvmTransaction) -> SignedEvm: ...
@overload
def sign_stored(transfer: Transfer, wanted: bytes) -> bytes: ...
def sign_stored(transfer: Transfer, wanted: EvmTransaction | bytes) -> SignedEvm | bytes:
    """Sign an EVM transaction, or a message of Solana, if it is exactly what the transfer's row says by now.

    On EVM chains: the transfer at its own nonce, or nothing sent to oneself at that nonce.
    Raises: SignerUnavailable; RuntimeError inside a transaction, since a remote signer is slow.
    Locks: none, and the caller holds none.
    """
    with transaction.atomic(durable=True):
        stored = Transfer.objects.select_related("account").get(pk=transfer.pk)
    account = stored.account
    if account is None:
        raise NotStored("no account signs for it")
    try:
        _refuse(stored, account, wanted)
    except NotStored as refusal:
        logger.error("transfer %s: %s", stored.pk, refusal)
        raise
    if is_paused(Paused.SIGNING):  # last: a pause of this moment still holds
        raise SigningPaused
    signer = signer_of(account)
    return signer.sign_evm(wanted) if isinstance(wanted, EvmTransaction) else signer.sign_solana(wanted)


def check_signer(account: SigningAccount) -> None:
    """Ask whether anything signs for an account at all. Why: a nonce that nobody can use holds up all behind it.

    Raises: SignerUnavailable. Locks: none, and the caller holds none.
    """
    signer_of(account)


def _refuse_beyond_caps(transfer: Transfer, account: SigningAccount) -> None:
    if transfer.value_usd <= ZERO_USD or transfer.value_usd > account.cap_per_transfer_usd:
        raise Rejected(Failure.CAP_EXCEEDED)
    counted = counted_usd(transfer)
    if counted > account.cap_per_transfer_usd:
        raise Rejected(Failure.CAP_EXCEEDED)
    if not is_allowed_destination(account, transfer.recipient):
        raise Rejected(Failure.DESTINATION_BLOCKED)
    if sent_within_a_day(account, besides=transfer) + counted > account.cap_per_day_usd:
        raise Blocked(Blocker.DAY_CAP_REACHED)


def _refuse(stored: Transfer, account: SigningAccount, wanted: EvmTransaction | bytes) -> None:
    fault = _foreign(stored, account)
    if fault:
        raise NotStored(f"another {fault}")
    if stored.status not in _SIGNABLE:
        raise NotStored(f"it is {stored.status}")
    if account.paused_at is not None:
        raise SignerPaused
    if isinstance(wanted, EvmTransaction):
        refuse_other_transaction(wanted, stored, account)
        is_payment = not sends_nothing(wanted, account)
    else:
        refuse_other_message(wanted, stored, account)
        is_payment = True
    if is_payment and stored.status in _UNSIGNED:
        _refuse_again(stored, account)


def _refuse_again(stored: Transfer, account: SigningAccount) -> None:
    """Ask for the caps once more before the first signature. Why: then no rail can forget to ask at all."""
    try:
        _refuse_beyond_caps(stored, account)
    except (Rejected, Blocked) as refusal:
        raise BeyondPolicy(str(refusal)) from None


def _foreign(transfer: Transfer, account: SigningAccount) -> str:
    """In what a transfer and an account do not belong together; empty where they do."""
    pairs = {
        "account": (transfer.account_id, account.pk),
        "merchant": (transfer.merchant_id, account.merchant_id),
        "mode": (transfer.mode, account.mode),
        "network": (transfer.network, account.network),
        "network profile": (account.network, settings.NETWORK_PROFILE),
        "chain": (transfer.chain, account.chain),
    }
    return next((what for what, (one, other) in pairs.items() if one != other), "")
