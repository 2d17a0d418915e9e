"""What a merchant's page asks and tells about a transfer. Everything is only stored here; a worker acts on it.

Locks: each function opens its own transaction and takes the transfer's lock, or joins the caller's.
"""

import re
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from chains import ledger
from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.instructions.transactions import read_transaction, validated_signature
from chains.models import Transfer, TransferAttempt
from chains.rails.base import RailName
from chains.rails.merchant_wallet.facts import (
    Refusal,
    authorization_of,
    offer_with,
    refused_of,
    same_party,
    unsigned_of,
    wanted_by,
)
from chains.registry import Family, chain, is_tx_hash_of
from chains.states import TransferStatus
from core.clock import now
from core.errors import Conflict, InvalidRequest

STATED_UNSIGNED = "stated_unsigned"
"""Why a shown transfer was taken back: its merchant said that it was not signed. Source: docs/design/sending.md, What a
wallet was shown."""
GRACE = timedelta(hours=2)
"""How long the chain itself is waited for beyond what can still be used."""
_OPEN = (TransferStatus.SIGNED, TransferStatus.BROADCAST)
_SIGNATURE = re.compile(r"0x(?:[0-9a-fA-F]{2}){65,1024}")
"""Of one key, or of a contract that has several, in whatever form that contract reads. Source: EIP-1271."""
_GONE = (Refusal.NOT_FOUND, Refusal.REVERTED)


class NotForAWallet(Conflict):
    """Another rail sends this transfer."""

    code = "not_for_a_wallet"
    message = "This transfer is not signed in a wallet."


class WalletNotAwaited(Conflict):
    """Nothing is asked of a wallet at the moment."""

    code = "wallet_not_awaited"
    message = "This transfer waits for no wallet now. Look again at how it stands."


class ShownToAnotherWallet(Conflict):
    """Another wallet was shown this transfer and may send it at any moment."""

    code = "shown_to_another_wallet"
    message = "Another wallet was asked to send this. Go on with it, or state that it did not sign."


class SenderIsRecipient(Conflict):
    """The wallet that is to send is the one that is to be paid."""

    code = "sender_is_recipient"
    message = "This wallet is the one that gets the money. Connect the wallet that is to pay it."


class MayStillLand(Conflict):
    """What was signed may still reach its chain, so nothing else may be done in its place."""

    code = "may_still_land"
    message = "This may still be paid by what was signed. Wait until that is seen, or can happen no more."


class TransactionChanged(Conflict):
    """What came back signed is not what was shown."""

    code = "transaction_altered"
    message = "The wallet changed the transaction. Use one that signs it as it is."


@transaction.atomic
def offer_transfer(transfer_id: UUID, sender: str) -> Transfer:
    """Register the wallet that is to send; a worker makes what it is asked to sign.

    The wallet that was already shown the transfer just goes on.
    Raises: InvalidAddress, NotForAWallet, SenderIsRecipient, ShownToAnotherWallet, WalletNotAwaited.
    """
    transfer = _locked(transfer_id)
    address = _address(transfer, sender)
    if same_party(transfer, address):
        raise SenderIsRecipient
    if transfer.status in _OPEN:
        if transfer.sender != address:
            raise ShownToAnotherWallet
        return transfer
    if transfer.status != TransferStatus.NEW:
        raise WalletNotAwaited
    ledger.note(transfer, offer=offer_with(transfer, wanted_by=address))
    return transfer


@transaction.atomic
def report_hint(transfer_id: UUID, tx_hash: str) -> Transfer:
    """Remember the hash that a wallet told. It proves nothing; it says where to look first.

    Raises: InvalidRequest, NotForAWallet, WalletNotAwaited.
    """
    transfer = _locked(transfer_id)
    if not is_tx_hash_of(transfer.chain, tx_hash):
        raise InvalidRequest("This is not the hash of a transaction on that chain.")
    if transfer.status not in _OPEN:
        raise WalletNotAwaited
    named = tx_hash if _is_solana(transfer) else tx_hash.lower()
    ledger.note(transfer, hint=named, offer=offer_with(transfer, told_at=now().isoformat()))
    return transfer


@transaction.atomic
def take_signed(transfer_id: UUID, signed_base64: str) -> Transfer:
    """Store what a Solana wallet signed, if it is exactly what it was shown; a worker sends it.

    Raises: NotForAWallet, TransactionChanged, WalletNotAwaited.
    """
    transfer = _locked(transfer_id)
    shown = unsigned_of(transfer).get("transaction_base64", "")
    if transfer.status not in _OPEN or not shown:
        raise WalletNotAwaited
    try:
        signature = validated_signature(signed_base64, shown)
        blockhash = str(read_transaction(signed_base64).message.recent_blockhash)
    except ValueError as error:
        raise TransactionChanged from error
    TransferAttempt.objects.get_or_create(
        tx_hash=signature,
        defaults={
            "transfer": transfer,
            "sequence": transfer.attempts.count() + 1,
            "raw": signed_base64,
            "blockhash": blockhash,
            "last_valid_height": unsigned_of(transfer)["last_valid_block_height"],
        },
    )
    ledger.note(transfer, hint=signature, offer=offer_with(transfer, told_at=now().isoformat()))
    return transfer


@transaction.atomic
def take_authorization(transfer_id: UUID, signature: str) -> Transfer:
    """Store what an EVM wallet signed of an authorization; a worker checks it and makes the call that uses it.

    Raises: InvalidRequest, NotForAWallet, WalletNotAwaited.
    """
    transfer = _locked(transfer_id)
    if _SIGNATURE.fullmatch(signature) is None:
        raise InvalidRequest("This is not a signature.")
    terms = authorization_of(transfer)
    if transfer.status not in _OPEN or not terms:
        raise WalletNotAwaited
    ledger.note(transfer, offer=offer_with(transfer, authorization={**terms, "signature": signature}))
    return transfer


@transaction.atomic
def state_unsigned(transfer_id: UUID, *, actor: str) -> Transfer:
    """Take back what was shown, on the word of its merchant that no wallet signed it.

    The caller has made sure who says so. The word proves nothing: should it land all the same, it is still
    recognised as long as the transfer lives. Where something was signed and can be seen, no word helps.
    Raises: MayStillLand, NotForAWallet, WalletNotAwaited.
    """
    transfer = _locked(transfer_id)
    if transfer.status == TransferStatus.NEW:
        if wanted_by(transfer):
            ledger.note(transfer, offer=offer_with(transfer, wanted_by=""))
        return transfer
    if transfer.status not in _OPEN:
        raise WalletNotAwaited
    if not needs_statement(transfer):
        raise MayStillLand
    offer = offer_with(transfer, unsigned={}, authorization={}, wanted_by="")
    ledger.advance(transfer, "lapse", actor=actor, reason=STATED_UNSIGNED, offer=offer, hint="", tx_hash="")
    return transfer


def needs_statement(transfer: Transfer) -> bool:
    """Whether only its merchant's word can take a shown transfer back: the chain itself will never say that it is dead.

    Not where something was told or seen, and not where what was shown ends by itself.
    """
    refused = refused_of(transfer)
    is_gone = refused is not None and refused.code in _GONE
    is_quiet = transfer.status == TransferStatus.SIGNED or is_gone
    return transfer.status in _OPEN and not transfer.hint and is_quiet and not _ends_by_itself(transfer)


def _ends_by_itself(transfer: Transfer) -> bool:
    """Whether what was shown is dead after a time, as its chain will say: an authorization, or a blockhash.

    Not for ever: where that is long over, it was used for something else, or its chain stands still, and only a
    person knows more.
    """
    valid_before, shown = authorization_of(transfer).get("valid_before"), transfer.offered_at
    if valid_before is not None:
        return bool(valid_before + GRACE.total_seconds() > now().timestamp())
    return _is_solana(transfer) and shown is not None and now() - shown < GRACE


def _locked(transfer_id: UUID) -> Transfer:
    transfer = ledger.locked_transfer(transfer_id)
    if transfer.rail != RailName.MERCHANT_WALLET:
        raise NotForAWallet
    return transfer


def _address(transfer: Transfer, sender: str) -> str:
    known = chain(transfer.chain)
    if known is None:
        raise InvalidAddress("Nobody knows this chain.", chain_family="", reason="chain")
    return parse_address(known, sender)


def _is_solana(transfer: Transfer) -> bool:
    known = chain(transfer.chain)
    return known is not None and known.family is Family.SOLANA
