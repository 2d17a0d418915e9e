"""I19: money goes where it was said to go: to an address that held when it was sent, or to who paid."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from chains.models import Transfer
from chains.registry import chain
from core.clock import now
from operations.invariants.addresses import AddressBook
from operations.invariants.paths import RELEASED
from operations.invariants.scope import Scope
from payments.models import Credit, PaymentIntent
from payouts.models import Payout
from refunds.models import Refund, RefundClaim, RefundTransition

BY_ITSELF = "to the paying wallet"
"""The reason in a refund's history where nobody named the destination.

Source: docs/guides/refunds.md, Where it goes."""
PAYER = "payer:"
NOBODY = ("", "worker", "sweep")
OVER = ("paid", "reverted", "failed")


def payouts_go_to_the_merchant(scope: Scope) -> Iterator[str]:
    """I19: a payout goes to its intent's own address, or to one that the merchant's settings held while it was made."""
    for batch in scope.batches(Payout):
        intents = PaymentIntent.objects.in_bulk([one.intent_id for one in batch if one.intent_id])
        book = AddressBook.of({one.merchant_id for one in batch})
        for payout in batch:
            intent = intents.get(payout.intent_id)
            if intent is None or payout.status == "failed" or payout.destination == intent.settlement_address:
                continue
            known = chain(payout.chain)
            whose = (payout.merchant_id, payout.mode, known.family.value if known else "")
            if payout.destination not in book.held(whose, payout.created_at, payout.paid_at or now()):
                yield f"I19 payout {payout.pk} goes to {payout.destination}, which was no address of its merchant's"


def refunds_go_to_stated_destinations(scope: Scope) -> Iterator[str]:
    """I19: somebody said where a refund goes; a payer said it by a signature, and the service only to who paid."""
    for batch in scope.batches(Refund):
        sent = [one for one in batch if one.destination and one.status not in RELEASED]
        given = RefundTransition.objects.filter(subject__in=sent, trigger="address").order_by("id")
        lines = {line.subject_id: line for line in given}  # the newest that gave it a destination
        used = RefundClaim.objects.filter(refund__in=sent, used_at__isnull=False)
        claims = {one.refund_id: one for one in used}
        payers = _Payers(sent)
        for refund in sent:
            line, claim = lines.get(refund.pk), claims.get(refund.pk)
            if line is None or line.actor in NOBODY:
                yield f"I19 refund {refund.pk} goes to {refund.destination}, and nobody said so"
            elif line.reason == BY_ITSELF:
                yield from payers.beyond(refund)
            elif line.actor.startswith(PAYER) and (claim is None or not claim.signature):
                yield f"I19 refund {refund.pk} was claimed, and no signature says so"
            if claim is not None and claim.destination != refund.destination:
                yield f"I19 refund {refund.pk} goes to {refund.destination}, its payer signed for {claim.destination}"


class _Payers:
    """What each wallet paid of the intents of some refunds, and what goes back to it by itself."""

    def __init__(self, refunds: Sequence[Refund]) -> None:
        intents = {one.intent_id for one in refunds}
        self.paid: dict[tuple[UUID, str], int] = defaultdict(int)
        credits = Credit.objects.filter(intent_id__in=intents, reversed_at=None, final_at__isnull=False)
        for credit in credits.exclude(purpose="stray").select_related("leg"):
            # Who sent it: who is known to have, or else who may have.
            perhaps = (credit.sender, credit.leg.payer_address if credit.leg else "")
            for wallet in {_plain(one) for one in ([credit.payer] if credit.payer else perhaps) if one}:
                self.paid[credit.intent_id, wallet] += int(credit.base_units)  # type: ignore[index]  # filtered
        self.back: dict[tuple[UUID, str], int] = defaultdict(int)
        for refund in Refund.objects.filter(intent_id__in=intents, stray=None).exclude(status__in=RELEASED):
            self.back[refund.intent_id, _plain(refund.destination)] += int(refund.base_units)

    def beyond(self, refund: Refund) -> Iterator[str]:
        """Whether this wallet gets more back than it sent."""
        key = (refund.intent_id, _plain(refund.destination))
        if self.back[key] > self.paid[key]:
            yield (
                f"I19 refund {refund.pk} goes by itself to {refund.destination}, which paid {self.paid[key]} base units"
                f" and gets {self.back[key]}"
            )


def _plain(address: str) -> str:
    """Letters of hexadecimal addresses have no case."""
    return address.lower() if address[:2] == "0x" else address


def transfers_follow_their_rows(scope: Scope) -> Iterator[str]:
    """I19: what is on its way has the destination, token and units of the row that it is for, which names it."""
    models: tuple[tuple[str, Any], ...] = (("refund", Refund), ("payout", Payout))
    for name, model in models:
        for batch in scope.batches(model):
            living = Transfer.objects.filter(purpose=name, purpose_id__in=[row.pk for row in batch])
            transfers = {one.purpose_id: one for one in living.exclude(status__in=OVER)}
            linked = Transfer.objects.in_bulk([row.transfer_id for row in batch if row.transfer_id])
            for row in batch:
                yield from _strayed(name, row, transfers.get(row.pk))
                named = linked.get(row.transfer_id)
                if named is not None and (named.purpose, named.purpose_id) != (name, row.pk):
                    yield f"I19 {name} {row.pk} names transfer {named.pk}, which is for another"


def _strayed(name: str, row: Any, transfer: Transfer | None) -> Iterator[str]:
    if transfer is None or transfer.withdrawn_at is not None:
        return
    wanted = (row.chain, row.token_address, row.destination, int(row.base_units))
    ordered = (transfer.chain, transfer.token_address, transfer.recipient, int(transfer.base_units))
    if wanted != ordered:
        yield f"I19 {name} {row.pk} wants {wanted}, and its transfer is ordered as {ordered}"
