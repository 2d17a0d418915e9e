"""What must be true after every step, from rows and from the chains' own books. It asks no sum of the service.

Written from the rules: what leaves and what is promised is at most what came; what goes back by itself goes to who
gave it; one transfer on a chain belongs to one row.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from chains.models import Transfer, TransferAttempt, TransferProof
from ledger.models import Posting
from payments.models import Credit, PaymentIntent
from payouts.models import Payout
from refunds.models import Refund
from tests.stories.books import faults_of_the_books
from tests.stories.chain import Moved
from tests.stories.stage import Story

_MICROS = 1_000_000
_LEAVING = ("signed", "broadcast", "mined", "paid")
_REFUND_OVER, _PAYOUT_OVER = ("failed", "cancelled"), ("failed",)


@dataclass(frozen=True)
class Books:
    story: Story
    credits: list[Credit]
    refunds: list[Refund]
    payouts: list[Payout]
    transfers: dict[UUID, Transfer]
    hashes: dict[str, UUID]
    standing: dict[str, list[Moved]]

    @classmethod
    def of(cls, story: Story) -> "Books":
        mine = {"merchant": story.merchant, "mode": "live"}
        transfers = {one.pk: one for one in Transfer.objects.filter(**mine)}
        attempts = TransferAttempt.objects.filter(transfer__in=list(transfers), kind="pay")
        standing: dict[str, list[Moved]] = defaultdict(list)
        for moved in story.home.moved():
            standing[moved.tx.tx_hash].append(moved)
        return cls(
            story=story,
            credits=list(
                Credit.objects.filter(merchant=story.merchant, mode="live", purpose="settlement").order_by("pk")
            ),
            refunds=list(Refund.objects.filter(**mine).order_by("created_at", "pk")),
            payouts=list(Payout.objects.filter(**mine).exclude(rail="direct").order_by("created_at", "pk")),
            transfers=transfers,
            hashes=dict(attempts.values_list("tx_hash", "transfer_id")),
            standing=standing,
        )

    def event_of(self, credit: Credit) -> Moved | None:
        """The transfer that a credit stands for, if it stands now: wherever its log is counted by now."""
        fitting = [
            one
            for one in self.standing.get(credit.tx_hash, [])
            if (one.token, one.recipient, one.units) == (credit.token_address, credit.recipient, credit.base_units)
        ]
        return fitting[0] if fitting else None

    def left(self, transfer_id: UUID | None) -> bool:
        transfer = self.transfers.get(transfer_id) if transfer_id else None
        return transfer is not None and transfer.status in _LEAVING and transfer.pk in set(self.hashes.values())


def note_peaks(story: Story) -> None:
    """Remember the most that ever counted of each payment: what is promised of it stays, where a part is taken away."""
    counting = Credit.objects.filter(merchant=story.merchant, purpose="settlement", reversed_at=None)
    sums: Counter[UUID] = Counter()
    for intent_id, units in counting.exclude(final_at=None).values_list("intent_id", "base_units"):
        if intent_id is not None:
            sums[intent_id] += units
    story.peaks |= {key: max(units, story.peaks.get(key, 0)) for key, units in sums.items()}


def faults_after_a_step(story: Story) -> list[str]:
    note_peaks(story)
    story.judged += 1
    books = Books.of(story)
    return [
        *_each_event_has_one_owner(books),
        *_credits_are_true(books),
        *_no_more_leaves_than_came(books),
        *_landings_are_as_ordered(books),
        *_money_goes_back_to_who_gave_it(books),
        *faults_of_the_books(story.merchant.pk),
        *(f"the service broke: {line}" for line in story.logged),
    ]


def faults_at_the_end(story: Story) -> list[str]:
    """Everything final, workers idle: what the payments say of themselves agrees with the books."""
    books = Books.of(story)
    intents = PaymentIntent.objects.filter(pk__in=story.intents)
    return [line for intent in intents for line in _says_what_is_so(books, intent)]


def _each_event_has_one_owner(books: Books) -> Iterator[str]:
    owners = Counter(credit.tx_hash for credit in books.credits if credit.reversed_at is None)
    proofs = TransferProof.objects.filter(transfer__in=list(books.transfers)).values_list("tx_hash", flat=True)
    owners.update(proofs)
    for tx_hash, count in owners.items():
        moved = len(books.standing.get(tx_hash, []))
        if count > max(moved, 1):
            yield f"{tx_hash[:8]} made {moved} transfers and has {count} owners"
    for credit in books.credits:
        if credit.tx_hash in books.hashes:
            yield f"{credit.tx_hash[:8]} is a transfer of our own and is credited to {_number(books, credit.intent_id)}"


def _credits_are_true(books: Books) -> Iterator[str]:
    """What is credited happened, and goes to the payment that it was meant for."""
    for credit in books.credits:
        made = books.story.home.find(credit.tx_hash)
        if made is None or credit.reversed_at is not None or credit.intent_id is None:
            continue
        if made.meant_for is not None and made.meant_for != credit.intent_id:
            meant = books.story.number(made.meant_for)
            yield f"{credit.tx_hash[:8]} was meant for {meant} and is credited to {_number(books, credit.intent_id)}"
        payers = {leg.payer for leg in books.story.legs if leg.intent_id == credit.intent_id}
        if made.meant_for is None and made.sender not in payers:
            yield f"{credit.tx_hash[:8]} has no mark, and its sender pays nothing of {_number(books, credit.intent_id)}"


def _no_more_leaves_than_came(books: Books) -> Iterator[str]:
    """For each payment: what left is at most what is final; with what is promised, at most what ever counted."""
    for intent_id in books.story.intents:
        counting = [one for one in books.credits if one.intent_id == intent_id and one.reversed_at is None]
        final, peak = _final_units(books, counting), books.story.peaks.get(intent_id, 0)
        refunds, payouts = (
            _holding(books, rows, intent_id, over)
            for rows, over in ((books.refunds, _REFUND_OVER), (books.payouts, _PAYOUT_OVER))
        )
        wanted = [(one.base_units, one.amount_usd, one.transfer_id) for one in payouts]
        for one in refunds:
            units, dollars = one.base_units - one.other_funds_units, one.amount_usd - one.other_funds_usd
            wanted.append((units, dollars, one.transfer_id))
        left = sum(units for units, _, transfer_id in wanted if books.left(transfer_id))
        name = books.story.number(intent_id)
        if left > final:
            yield f"of {name} {left} left, and {final} came for good"
        if sum(units for units, _, _ in wanted) > peak:
            yield f"of {name} {sum(units for units, _, _ in wanted)} is sent or promised, and {peak} came"
        if sum(usd for _, usd, _ in wanted) > Decimal(peak) / _MICROS:
            yield f"of {name} {sum(usd for _, usd, _ in wanted)} dollars are sent or promised, and {peak} units came"
    other = sum(one.other_funds_units for one in books.refunds)
    out = sum(one.units for moves in books.standing.values() for one in moves if one.holder == books.story.account)
    came = sum(_final_units(books, [one]) for one in books.credits if one.reversed_at is None)
    if out > came + other:
        yield f"the merchant's account paid {out}, and {came} came for good, {other} from other funds"


def _landings_are_as_ordered(books: Books) -> Iterator[str]:
    """What left the account was ordered, once, to where its row says."""
    ordered: list[Any] = [*books.refunds, *books.payouts]
    rows = {one.transfer_id: one for one in ordered if one.transfer_id}
    landed: Counter[UUID] = Counter()
    for moves in books.standing.values():
        for one in moves:
            if one.holder != books.story.account:
                continue
            transfer_id = books.hashes.get(one.tx.tx_hash)
            if transfer_id is None:
                yield f"{one.tx.tx_hash[:8]} left the account and nobody ordered it"
                continue
            landed[transfer_id] += 1
            row = rows.get(transfer_id)
            if row is not None and (row.destination, row.base_units) != (one.recipient, one.units):
                yield f"{one.tx.tx_hash[:8]} went to {books.story.name(one.recipient)}, and its row says otherwise"
    yield from (f"transfer {transfer_id} landed {count} times" for transfer_id, count in landed.items() if count > 1)


def _money_goes_back_to_who_gave_it(books: Books) -> Iterator[str]:
    """A destination that nobody named had given to that payment at least what goes there.

    What left is held against what is final; what still waits against what ever came, for it cannot leave before.
    """
    alive = [one for one in books.refunds if one.status not in _REFUND_OVER and one.destination]
    for refund in alive:
        if refund.pk in books.story.addressed:
            continue
        earlier = [one for one in alive if one.intent_id == refund.intent_id and one.created_at <= refund.created_at]
        gets = sum(one.base_units for one in earlier if one.destination == refund.destination)
        gave = _given(books, refund, is_final=books.left(refund.transfer_id))
        if gets > gave:
            whom = books.story.name(refund.destination)
            yield f"{whom} gave {gave} to {_number(books, refund.intent_id)} and gets {gets} back by itself"


def _given(books: Books, refund: Refund, *, is_final: bool) -> int:
    ever = books.story.home.ever
    mine = [one for one in books.credits if one.intent_id == refund.intent_id and one.tx_hash in ever]
    theirs = [one for one in mine if ever[one.tx_hash].payer == refund.destination]
    return _final_units(books, theirs) if is_final else sum(one.base_units for one in theirs)


def _final_units(books: Books, credits: list[Credit]) -> int:
    events = {(event.tx.tx_hash, event.place): event for one in credits if (event := books.event_of(one)) is not None}
    final = books.story.home.final
    return sum(one.units for one in events.values() if one.tx.block is not None and one.tx.block.number <= final)


def _holding(books: Books, rows: Sequence[Any], intent_id: UUID, over: tuple[str, ...]) -> list[Any]:
    mine = [one for one in rows if one.intent_id == intent_id]
    return [one for one in mine if one.status not in over or books.left(one.transfer_id)]


def _says_what_is_so(books: Books, intent: PaymentIntent) -> Iterator[str]:
    name = books.story.number(intent.pk)
    counting = [one for one in books.credits if one.intent_id == intent.pk and one.reversed_at is None and one.final_at]
    units = sum(one.base_units for one in counting)
    came = Decimal(units) / _MICROS
    paid = [one for one in books.refunds if one.intent_id == intent.pk and one.status == "paid"]
    back = sum((one.amount_usd for one in paid), Decimal(0))
    if (intent.received_usd, intent.refunded_usd) != (came, back):
        yield f"{name} says {intent.received_usd} came and {intent.refunded_usd} went back; {came} and {back} did"
    if intent.status == "settled" and came - back < min(intent.amount * Decimal("0.995"), intent.amount) - _ever(
        books, intent
    ):
        yield f"{name} is settled over {intent.amount} and the merchant has {came - back} of it"
    if intent.status == "refunded" and back < (till_then := _came_until_refunded(intent, counting)):
        yield f"{name} is refunded, and of {till_then} only {back} went back"


def _came_until_refunded(intent: PaymentIntent, counting: list[Credit]) -> Decimal:
    """What counted when everything was sent back; what came after that is sent back by itself, or by hand."""
    refunded_at = intent.history.filter(to_status="refunded").latest("id").created_at
    return Decimal(sum(one.base_units for one in counting if one.final_at and one.final_at < refunded_at)) / _MICROS


def _ever(books: Books, intent: PaymentIntent) -> Decimal:
    """What was sent back of what was asked for while it was settled, then or before: that does not unsettle it."""
    moves = list(intent.history.order_by("created_at", "id").values_list("created_at", "to_status"))
    paid = [one for one in books.refunds if one.intent_id == intent.pk and one.status == "paid"]
    were = {one.pk: [status for moment, status in moves if moment <= one.created_at][-1] for one in paid}
    return sum((one.amount_usd for one in paid if were[one.pk] == "settled"), Decimal(0))


def _number(books: Books, intent_id: UUID | None) -> str:
    return books.story.number(intent_id) if intent_id in books.story.intents else str(intent_id)


def reached(story: Story) -> Counter[str]:
    books = Books.of(story)
    made = [(one, story.home.find(one.tx_hash)) for one in books.credits if one.reversed_at is None]
    counts = Counter(f"payments {status}" for status in _statuses(story))
    counts.update(f"refunds {one.status}" for one in books.refunds)
    counts.update(f"payouts {one.status}" for one in books.payouts)
    counts["refunds to whom it belongs"] = sum(
        one.status == "paid" and one.pk not in story.addressed for one in books.refunds
    )
    counts["late refunds"] = sum(one.created_by == "policy:late" for one in books.refunds)
    counts["credits"] = len(made)
    counts["credits of fills"] = sum(tx in story.fills for _, tx in made)
    counts["credits of claims"] = sum(tx in story.plain for _, tx in made)
    counts["credits taken back"] = len(books.credits) - len(made)
    counts["deaths"] = sum("dies" in line for line in story.told)
    counts["meanwhile"] = sum("meanwhile" in line for line in story.told)
    counts["steps judged"] = story.judged
    counts["entries booked"] = Posting.objects.filter(merchant=story.merchant).values("entry").distinct().count()
    return counts


def _statuses(story: Story) -> list[str]:
    return list(PaymentIntent.objects.filter(pk__in=story.intents).values_list("status", flat=True))
