"""I20: each event on a chain has one owner, on the network of its mode, and belongs to the leg that it was sent for."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from chains.models import SimulatedTransaction, Transfer, TransferProof
from operations.invariants.scope import Scope, batches
from payments.models import Credit, Leg
from payouts.models import Payout
from refunds.models import Refund

SIMULATED = "simulated"
WALLET = "merchant_wallet"
PURPOSES = ("refund", "payout")


def each_transfer_has_a_known_purpose(scope: Scope) -> Iterator[str]:
    """I20: money leaves for a refund or a payout, and for nothing else."""
    strange = scope.rows(Transfer).exclude(purpose__in=PURPOSES)
    for pk, purpose in strange.values_list("pk", "purpose").iterator():
        yield f"I20 transfer {pk} is for {purpose!r}, which nobody knows"


def each_event_has_one_owner(scope: Scope) -> Iterator[str]:
    """I20: what proves that money was sent never counts as money that came, and proves one transfer."""
    for batch in scope.batches(Transfer):
        paid = [one for one in batch if one.status == "paid" and one.tx_hash]
        hashes = [one.tx_hash for one in paid]
        spelled = {_spelled(one) for one in hashes} | set(hashes)
        credits: dict[str, list[Credit]] = defaultdict(list)
        for credit in Credit.objects.filter(tx_hash__in=list(spelled), intent__isnull=False, reversed_at=None):
            credits[_spelled(credit.tx_hash)].append(credit)
        proofs = {one.transfer_id: one for one in TransferProof.objects.filter(transfer__in=paid)}
        for transfer in paid:
            proof = proofs.get(transfer.pk)
            yield from _unproven(transfer, proof)
            for credit in credits[_spelled(transfer.tx_hash)]:
                if _is_same_event(transfer, proof, credit):
                    yield f"I20 transfer {transfer.pk} was paid by what counts as credit {credit.pk}"
        alone = Transfer.objects.filter(status="paid", tx_hash__in=hashes).exclude(rail=WALLET)
        for chain, tx_hash, times in _twice(alone):
            yield f"I20 transaction {tx_hash} on {chain} paid {times} transfers"


def _twice(rows: "QuerySet[Any]") -> Iterator[tuple[str, str, int]]:
    """Chain, transaction and number of rows, where several rows name one transaction of one network."""
    counted = rows.order_by().values_list("network", "chain", "tx_hash").annotate(times=Count("id"))
    for _, chain, tx_hash, times in counted.filter(times__gt=1).iterator():
        yield chain, tx_hash, times


def _spelled(tx_hash: str) -> str:
    """Letters of hexadecimal hashes have no case."""
    return tx_hash.lower() if tx_hash[:2].lower() == "0x" else tx_hash


def _unproven(transfer: Transfer, proof: TransferProof | None) -> Iterator[str]:
    if transfer.rail != WALLET:
        return
    if proof is None:
        yield f"I20 transfer {transfer.pk} by the merchant's wallet is paid, and nothing proves it"
        return
    shown = (proof.network, proof.chain, _spelled(proof.tx_hash), int(proof.base_units))
    if shown != (transfer.network, transfer.chain, _spelled(transfer.tx_hash), int(transfer.base_units)):
        yield f"I20 transfer {transfer.pk} is proven by something else: {shown}"


def _is_same_event(transfer: Transfer, proof: TransferProof | None, credit: Credit) -> bool:
    """By its place in the transaction where that is known; else the transaction made this one transfer."""
    if (credit.network, credit.chain) != (transfer.network, transfer.chain):
        return False
    if proof is not None:
        return (credit.kind, credit.position) == (proof.kind, proof.position)
    sent = (_spelled(transfer.recipient), transfer.token_address, int(transfer.base_units))
    return sent == (_spelled(credit.recipient), credit.token_address, int(credit.base_units))


def credits_stay_on_their_network(scope: Scope) -> Iterator[str]:
    """I9 for arrivals: play money counts in test mode alone, and nothing else counts there."""
    astray = Q(mode="test") & ~Q(network=SIMULATED) | Q(mode="live", network=SIMULATED)
    found = scope.rows(Credit, "observed_at").filter(astray)
    for pk, mode, network in found.values_list("pk", "mode", "network").iterator():
        yield f"I9 credit {pk} of {mode} mode came on the network {network}"
    for name, rail, model_rows in _rails(scope):
        for pk, mode in model_rows.values_list("pk", "mode").iterator():
            yield f"I9 {name} {pk} of {mode} mode goes by {rail} rail"


def _rails(scope: Scope) -> Iterator[tuple[str, str, Any]]:
    models: tuple[tuple[str, Any], ...] = (("refund", Refund), ("payout", Payout))
    for name, model in models:
        rows = scope.rows(model).exclude(rail="")
        yield name, "the simulated", rows.filter(mode="live", rail=SIMULATED)
        yield name, "a real", rows.filter(mode="test").exclude(rail=SIMULATED)


def credits_belong_to_their_legs(scope: Scope) -> Iterator[str]:
    """I20: a credit's leg is its intent's, what counts is some intent's, and a confirmed leg was credited."""
    for batch in scope.batches(Credit, "observed_at"):
        legs = dict(Leg.objects.filter(pk__in=[one.leg_id for one in batch]).values_list("pk", "intent_id"))
        for credit in batch:
            if credit.leg_id is not None and credit.intent_id not in (None, legs[credit.leg_id]):
                yield f"I20 credit {credit.pk} of intent {credit.intent_id} came by leg {credit.leg_id} of another"
            if credit.intent_id is None and credit.purpose == "settlement":
                yield f"I20 credit {credit.pk} counts as a settlement, and of no intent"
            if credit.sender and _spelled(credit.sender) == _spelled(credit.recipient):
                yield f"I20 credit {credit.pk} came from {credit.sender}, which is where it went"
    confirmed = scope.rows(Leg).filter(status="confirmed", credits=None)
    for pk in confirmed.values_list("pk", flat=True).iterator():
        yield f"I20 leg {pk} is confirmed, and nothing was credited by it"


def nothing_is_sent_to_its_sender(scope: Scope) -> Iterator[str]:
    """I20: a transfer goes to somebody else. Play money's made-up sender may be anybody."""
    for batch in scope.batches(Transfer):
        for one in batch:
            if one.rail != SIMULATED and one.sender and _spelled(one.sender) == _spelled(one.recipient):
                yield f"I20 transfer {one.pk} goes from {one.sender} to itself"


def credits_stand_on_the_simulated_chain(scope: Scope) -> Iterator[str]:
    """I3 by the simulated chain's own table: what counts is there, moved so much to that address, and counts once."""
    kept = scope.kept_for(settings.KEEP_SIMULATED_DAYS)
    for batch in batches(kept.rows(Credit, "observed_at").filter(network=SIMULATED, reversed_at=None)):
        hashes = [one.tx_hash for one in batch]
        shown = {one.tx_hash: one for one in SimulatedTransaction.objects.filter(tx_hash__in=hashes)}
        for credit in batch:
            row = shown.get(credit.tx_hash)
            facts = (credit.chain, credit.token_address, credit.recipient, int(credit.base_units))
            if row is None or (row.chain, row.token, row.recipient, int(row.base_units)) != facts:
                yield f"I3 credit {credit.pk} counts what the simulated chain does not show"
    for batch in batches(scope.rows(Credit, "observed_at").filter(network=SIMULATED)):
        once = Credit.objects.filter(network=SIMULATED, tx_hash__in=[one.tx_hash for one in batch])
        for _, tx_hash, times in _twice(once):
            yield f"I3 transaction {tx_hash} of the simulated chain moved money once, and was credited {times} times"
