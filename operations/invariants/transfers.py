"""I2 and I16: whatever was tried, at most one transfer for a purpose can land, and nonces leave no gap."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max, Q

from chains.models import SigningAccount, Transfer, TransferAttempt, TransferTransition
from chains.registry import chain
from operations.invariants.scope import Scope
from operations.invariants.signed import Unreadable, read_signed

OVER_UNPAID = ("reverted", "failed")
EVM, SOLANA = "evm", "solana"
NEWEST_NONCES = 2_000
"""How many of an account are compared where not the whole is read."""


def one_transfer_at_most_lands(scope: Scope) -> Iterator[str]:
    """I2 over all rounds: for one purpose at most one transfer is paid or may still be."""
    for batch in scope.batches(Transfer):
        yield from _beside_each_other(batch)
        attempts: dict[Any, list[TransferAttempt]] = defaultdict(list)
        for attempt in TransferAttempt.objects.filter(transfer__in=batch).order_by("sequence", "pk"):
            attempts[attempt.transfer_id].append(attempt)
        ended, lapsed = _ends_of_earlier(batch), _lapses(batch)
        for transfer in batch:
            ends = ended[transfer.purpose, transfer.purpose_id, transfer.round - 1]
            if transfer.round > 1 and not any(moment <= transfer.created_at for moment in ends):
                yield f"I2 transfer {transfer.pk} is round {transfer.round} though the one before is not over"
            yield from _wrongly_signed(transfer, attempts[transfer.pk], lapsed[transfer.pk])


def _beside_each_other(batch: Sequence[Transfer]) -> Iterator[str]:
    living = Transfer.objects.filter(purpose_id__in=[one.purpose_id for one in batch]).exclude(status__in=OVER_UNPAID)
    times = Counter(living.filter(purpose__in={one.purpose for one in batch}).values_list("purpose", "purpose_id"))
    for purpose, purpose_id in sorted({(one.purpose, one.purpose_id) for one in batch}):
        count = times[purpose, purpose_id]
        if count > 1:
            yield f"I2 {purpose} {purpose_id} has {count} transfers that landed or may land"


def _ends_of_earlier(batch: Sequence[Transfer]) -> dict[tuple[str, Any, int], list[datetime]]:
    """When the rounds before those of a batch were over unpaid, by purpose and number."""
    again = [one for one in batch if one.round > 1]
    rounds = Transfer.objects.filter(
        purpose__in={one.purpose for one in again}, purpose_id__in=[one.purpose_id for one in again]
    )
    lines = TransferTransition.objects.filter(
        subject__in=rounds, subject__status__in=OVER_UNPAID, to_status__in=OVER_UNPAID
    )
    found: dict[tuple[str, Any, int], list[datetime]] = defaultdict(list)
    for *key, moment in lines.values_list("subject__purpose", "subject__purpose_id", "subject__round", "created_at"):
        found[tuple(key)].append(moment)  # type: ignore[index]  # three of them
    return found


def _lapses(batch: Sequence[Transfer]) -> dict[Any, list[datetime]]:
    """When what was signed for a transfer of a batch was found dead, in order."""
    solana = [one.pk for one in batch if one.rail == SOLANA]
    lines = TransferTransition.objects.filter(subject__in=solana, trigger="lapse").order_by("created_at", "pk")
    found: dict[Any, list[datetime]] = defaultdict(list)
    for pk, moment in lines.values_list("subject_id", "created_at"):
        found[pk].append(moment)
    return found


def _wrongly_signed(
    transfer: Transfer, attempts: Sequence[TransferAttempt], lapses: Sequence[datetime]
) -> Iterator[str]:
    """What is wrong with the transactions that were signed for a transfer."""
    known = {attempt.tx_hash for attempt in attempts}
    if transfer.status == "paid" and attempts and transfer.tx_hash not in known:
        yield f"I2 transfer {transfer.pk} is paid by {transfer.tx_hash}, which was never signed for it"
    if transfer.rail == EVM:
        for attempt in attempts:
            yield from _wrong_evm_attempt(transfer, attempt)
    if transfer.rail == SOLANA:
        yield from _signed_before_dead(transfer, attempts, lapses)


def _wrong_evm_attempt(transfer: Transfer, attempt: TransferAttempt) -> Iterator[str]:
    """I2: the very bytes carry the transfer's nonce, and pay nobody else and nothing else."""
    where = f"I2 attempt {attempt.sequence} of transfer {transfer.pk}"
    if attempt.kind == "noop":
        return  # it moves nothing, so only its nonce matters, and the database keeps that one
    try:
        signed = read_signed(attempt.raw)
    except Unreadable as error:
        yield f"{where} holds bytes that cannot be read: {error}"
        return
    known = chain(transfer.chain)
    native = known is not None and transfer.token_address == known.native_address
    ordered = (
        known.chain_id if known else None,
        "" if native else transfer.token_address.lower(),
        transfer.recipient.lower(),
        int(transfer.base_units),
    )
    if (signed.chain_id, signed.token, signed.recipient, signed.base_units) != ordered:
        yield f"{where} pays something else than was ordered"
    if signed.mark not in (b"", transfer.pk.bytes):
        yield f"{where} carries the mark of another transfer"
    # Where a foreign transaction took an earlier nonce for good, what was signed with it is dead.
    displaced = TransferTransition.objects.filter(subject=transfer, trigger="displace")
    if transfer.nonce is not None and signed.nonce != transfer.nonce and not displaced.exists():
        yield f"{where} has the nonce {signed.nonce}, its transfer {transfer.nonce}"


def _signed_before_dead(
    transfer: Transfer, attempts: Sequence[TransferAttempt], lapses: Sequence[datetime]
) -> Iterator[str]:
    """I2: a further Solana transaction only after the one before was found dead, and living longer than it."""
    for earlier, later in zip(attempts, attempts[1:], strict=False):
        if not any(earlier.created_at <= moment <= later.created_at for moment in lapses):
            yield f"I2 transfer {transfer.pk} was signed again while attempt {earlier.sequence} could land"
        if (later.last_valid_height or 0) <= (earlier.last_valid_height or 0):
            yield f"I2 attempt {later.sequence} of transfer {transfer.pk} does not outlive the one before"


def nonces_have_no_gap(scope: Scope) -> Iterator[str]:
    """I16: the nonces of an account are taken once and leave no gap below the highest that landed.

    An account without a next nonce reads it from its chain before it gives one.
    """
    accounts = scope.of_piece(SigningAccount)
    if scope.merchant_id is not None:
        accounts = accounts.filter(merchant_id=scope.merchant_id)
    for account in accounts.iterator():
        least = 0
        if scope.is_brief:  # an account that sends for long has too many nonces for each hour
            highest = Transfer.objects.filter(account=account).aggregate(highest=Max("nonce"))["highest"]
            least = max(int(highest or 0) - NEWEST_NONCES, 0)
        taken = Counter(_nonces(account, Q(nonce__gte=least)))
        landed = list(_nonces(account, Q(nonce__gte=least, status__in=("mined", "paid", "reverted"))))
        for nonce in sorted(nonce for nonce, times in taken.items() if times > 1):
            yield f"I16 nonce {nonce} of {account.address} on {account.chain} was given {taken[nonce]} times"
        gaps = sorted(set(range(min(taken), max(landed))) - set(taken)) if landed else []
        # Where a foreign transaction is known to have taken nonces, they are not all ours.
        foreign = TransferTransition.objects.filter(subject__account=account, trigger="displace")
        if gaps and not foreign.exists():
            yield f"I16 {account.address} on {account.chain} has the gaps {gaps[:10]} below {max(landed)}"
        if taken and account.next_nonce is not None and account.next_nonce <= max(taken):
            yield f"I16 {account.address} on {account.chain} would give nonce {account.next_nonce} a second time"


def _nonces(account: SigningAccount, which: Q) -> Iterator[int]:
    """Why without a batch: one number per transfer, and the database streams them."""
    found = Transfer.objects.filter(which, account=account, nonce__isnull=False)
    for nonce in found.values_list("nonce", flat=True).iterator():
        yield int(nonce or 0)
