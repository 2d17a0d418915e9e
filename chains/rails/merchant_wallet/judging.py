"""What a look at the chain says of a transfer that a merchant's wallet was to make. Pure.

It counts only as one event with the mark, from a wallet that was shown it, of exactly the amount.
Source: docs/money-out.md, What counts.
"""

from dataclasses import dataclass

from chains.clients.base import IssuedLeg, KnownBlock, LegView, ObservedTransfer, SeenStatus, SeenTransaction
from chains.models import Transfer
from chains.rails.merchant_wallet.facts import (
    HINT_LIFETIME,
    Refusal,
    Refused,
    authorization_of,
    reported_at,
    same_party,
    senders_of,
    unsigned_of,
)
from chains.registry import confirmations_required
from chains.states import TransferStatus
from core.clock import now


@dataclass(frozen=True, kw_only=True)
class Observation:
    """``proof``: the event that makes the transfer; ``pending``: the hash of our own transaction without a block;
    ``is_dead``: what was signed can never land; ``refused``: why what is there is not this transfer.
    """

    proof: ObservedTransfer | None = None
    pending: str = ""
    is_dead: bool = False
    refused: Refused | None = None


def leg_of(transfer: Transfer) -> IssuedLeg:
    """All by which the transfer is recognised. Its tag is its own id, through all wallets and tries."""
    is_mined = transfer.status == TransferStatus.MINED
    known = KnownBlock(tx_hash=transfer.tx_hash, number=transfer.block_number or 0, hash=transfer.block_hash)
    unsigned = unsigned_of(transfer)
    return IssuedLeg(
        tag=str(transfer.pk),
        chain=transfer.chain,
        to_chain=transfer.chain,
        sender=transfer.sender,
        recipient=transfer.recipient,
        token_address=transfer.token_address,
        authorization=authorization_of(transfer).get("nonce", ""),
        issued_transaction=unsigned.get("transaction_base64", ""),
        last_valid_height=unsigned.get("last_valid_block_height"),
        tx_hash=transfer.hint,
        known_hashes=(transfer.tx_hash,) if is_mined else (),
        start_block=transfer.start_block,
        nothing_older=True,
        scanned_to=transfer.scanned_block,
        least_head=max(transfer.start_block or 0, transfer.block_number or 0) if is_mined else 0,
        at_stake_usd=transfer.value_usd,
        known_blocks=(known,) if is_mined else (),
    )


def judge(transfer: Transfer, view: LegView) -> Observation:
    """What the view means for the transfer. What its own recipient sent moved nothing."""
    senders = [address for address in senders_of(transfer) if not same_party(transfer, address)]
    own = [one for one in view.transfers if (one.holder or one.sender) in senders]
    exact = [one for one in own if one.base_units == transfer.base_units]
    if exact:
        return Observation(proof=min(exact, key=lambda one: (one.block_number, one.tx_hash)))
    if own:
        return Observation(refused=Refused(code=Refusal.WRONG_AMOUNT, tx_hash=own[0].tx_hash))
    return _without_proof(transfer, view)


def is_final(proof: ObservedTransfer) -> bool:
    """Whether it stands as deep as the chain, and what is at stake, ask for."""
    return proof.confirmations >= confirmations_required(proof.chain)


def _without_proof(transfer: Transfer, view: LegView) -> Observation:
    """What is known of the transaction that was told, or of ours that failed."""
    seen = view.seen
    if seen is None:
        at = reported_at(transfer)
        is_lost = bool(transfer.hint) and at is not None and now() - at > HINT_LIFETIME
        return Observation(refused=Refused(code=Refusal.NOT_FOUND, tx_hash=transfer.hint) if is_lost else None)
    if seen.status == SeenStatus.REPLACED:
        return Observation(is_dead=True)
    if not seen.tag:
        is_older = seen.block_number is not None and seen.block_number < (transfer.start_block or 0)
        code = Refusal.TOO_OLD if is_older else Refusal.ANOTHER_TRANSACTION
        return Observation(refused=Refused(code=code, tx_hash=transfer.hint))
    tx_hash = seen.tx_hash or transfer.hint
    if seen.status == SeenStatus.PENDING:
        return Observation(pending=tx_hash)
    return _landed(transfer, seen, tx_hash)


def _landed(transfer: Transfer, seen: SeenTransaction, tx_hash: str) -> Observation:
    """One with our mark in a block that did not make the transfer: a stranger's, or one that failed."""
    if seen.status == SeenStatus.INCLUDED:
        return Observation(refused=Refused(code=Refusal.ANOTHER_SENDER, tx_hash=tx_hash))
    is_settled = seen.confirmations >= confirmations_required(transfer.chain)
    return Observation(refused=Refused(code=Refusal.REVERTED, tx_hash=tx_hash) if is_settled else None)
