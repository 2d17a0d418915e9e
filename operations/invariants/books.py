"""I21: the books balance, entry by entry, and say what credits, fees, refunds, payouts and transfers say.

What each row stands for is written here a second time, from docs/ledger.md, and not asked of whoever books.
Nothing is said until rows of before the books are booked. Source: docs/adr/0112.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import models

from chains.models import Transfer
from ledger.models import Opening, Posting
from operations.invariants.paths import RELEASED
from operations.invariants.scope import Scope
from payments.models import Credit, Leg, PaymentIntent
from payouts.models import Payout
from refunds.models import Refund

MICROS = 1_000_000
Line = tuple[int, str, str, str, str, str]
"""Merchant, mode, chain, token, payment and account."""
Amounts = dict[Line, tuple[int, int]]
"""By line: base units and micro-dollars that are not both nothing."""
SOURCES: dict[str, type[models.Model]] = {
    "credit": Credit,
    "leg": Leg,
    "refund": Refund,
    "payout": Payout,
    "intent": PaymentIntent,
}
LEFT = {"refund": "refunded", "payout": "paid_out"}


def each_entry_balances(scope: Scope) -> Iterator[str]:
    """I21: what an entry debits it credits, in base units and in dollars; it is of one book, and of one row."""
    if not _are_complete(scope):
        return
    for batch in scope.batches(Posting, "booked_at"):
        entries: dict[UUID, list[Posting]] = defaultdict(list)
        for row in _postings({(one.source, one.source_id) for one in batch}):
            entries[row.entry].append(row)
        for entry in sorted({one.entry for one in batch}):
            rows = entries[entry]
            units, micros = sum(one.base_units for one in rows), sum(_micros(one.amount_usd) for one in rows)
            if units or micros:
                yield f"I21 entry {entry} is off by {units} base units and {micros} micro-dollars"
            if len({_line(one)[:5] for one in rows}) > 1 or len({(one.source, one.source_id) for one in rows}) > 1:
                yield f"I21 entry {entry} is in several books"


def each_entry_leads_back(scope: Scope) -> Iterator[str]:
    """I21: the row that an entry books is there."""
    if not _are_complete(scope):
        return
    for batch in scope.batches(Posting, "booked_at"):
        named: dict[str, set[str]] = defaultdict(set)
        for one in batch:
            named[one.source].add(one.source_id)
        for source, ids in sorted(named.items()):
            model = SOURCES[source]
            found = set(map(str, model._default_manager.filter(pk__in=list(ids)).values_list("pk", flat=True)))
            yield from (f"I21 {source} {one} is booked, and does not exist" for one in sorted(ids - found))


def books_say_what_rows_say(scope: Scope) -> Iterator[str]:
    """I21: what is booked of each credit, fee, refund, payout and debt is what it stands for, account by account."""
    if not _are_complete(scope):
        return
    for batch in scope.batches(Credit, "observed_at"):
        legs = dict(Leg.objects.filter(credits__in=batch).values_list("pk", "intent_id"))
        yield from _compared("credit", {str(one.pk): _of_credit(one, legs) for one in batch})
    for legs_batch in scope.batches(Leg):
        yield from _compared("leg", {str(one.pk): _of_leg(one) for one in legs_batch})
    for refunds in scope.batches(Refund):
        yield from _compared("refund", {str(one.pk): _of_refund(one) for one in refunds})
    for payouts in scope.batches(Payout):
        yield from _compared("payout", {str(one.pk): _of_payout(one) for one in payouts})
    for intents in scope.batches(PaymentIntent):
        yield from _debts(intents)


def what_left_is_in_the_books(scope: Scope) -> Iterator[str]:
    """I21: a refund's or payout's transfer that landed is booked as gone, with its own units in its own asset."""
    if not _are_complete(scope):
        return
    for batch in scope.batches(Transfer):
        paid = [one for one in batch if one.status == "paid" and one.purpose in LEFT]
        rows = _booked({(one.purpose, str(one.purpose_id)) for one in paid})
        landed = _landed(paid)
        for one in paid:
            if one.purpose_id not in landed:
                continue  # its owner has not written it down yet
            key = (one.purpose, str(one.purpose_id))
            gone = {line[2:4]: units for line, (units, _) in rows[key].items() if line[5] == LEFT[one.purpose]}
            if gone != {(one.chain, one.token_address): int(one.base_units)}:
                yield f"I21 transfer {one.pk} sent {one.base_units} of {one.token_address}, and the books say {gone}"


def _landed(transfers: Sequence[Transfer]) -> set[UUID]:
    ids = [one.purpose_id for one in transfers]
    owners: tuple[Any, ...] = (Refund, Payout)
    paid = (model.objects.filter(pk__in=ids, status="paid") for model in owners)
    return {pk for rows in paid for pk in rows.values_list("pk", flat=True)}


def _are_complete(scope: Scope) -> bool:
    return scope.notes_tables or Opening.objects.filter(finished_at__isnull=False).exists()


def _compared(source: str, expected: dict[str, Amounts]) -> Iterator[str]:
    rows = _booked({(source, one) for one in expected})
    for source_id, lines in expected.items():
        booked = rows[source, source_id]
        if booked != lines:
            yield f"I21 {source} {source_id} stands for {_words(lines)}, and is booked as {_words(booked)}"


def _debts(intents: Sequence[PaymentIntent]) -> Iterator[str]:
    """Why dollars alone: the base units that are owed stand in no row of the payment."""
    rows = _booked({("intent", str(one.pk)) for one in intents})
    for intent in intents:
        booked = {line[5]: micros for line, (_, micros) in rows["intent", str(intent.pk)].items()}
        owed = _micros(intent.owed_usd)
        if booked != ({"received": owed, "owed": -owed} if owed else {}):
            yield f"I21 intent {intent.pk} owes {intent.owed_usd} USD, and is booked as {booked}"


def _booked(keys: set[tuple[str, str]]) -> dict[tuple[str, str], Amounts]:
    sums: dict[tuple[str, str], Amounts] = defaultdict(dict)
    for row in _postings(keys):
        of_row, line = sums[row.source, row.source_id], _line(row)
        units, micros = of_row.get(line, (0, 0))
        of_row[line] = (units + int(row.base_units), micros + _micros(row.amount_usd))
    found: dict[tuple[str, str], Amounts] = defaultdict(dict)
    for key, of_row in sums.items():
        found[key] = {line: amount for line, amount in of_row.items() if amount != (0, 0)}
    return found


def _postings(keys: set[tuple[str, str]]) -> Iterator[Posting]:
    named: dict[str, list[str]] = defaultdict(list)
    for source, source_id in sorted(keys):
        named[source].append(source_id)
    for source, ids in named.items():
        yield from Posting.objects.filter(source=source, source_id__in=ids).order_by("pk")


def _line(row: Posting) -> Line:
    return row.merchant_id, row.mode, row.chain, row.token_address, str(row.intent_id), row.account


def _micros(amount: Any) -> int:
    return int(amount * MICROS)


def _lines(row: Any, intent_id: Any, debit: str, *credits: tuple[str, int, Any]) -> Amounts:
    """A debit of all that the credits say together."""
    place = (row.merchant_id, row.mode, row.chain, row.token_address, str(intent_id))
    parts = [(account, int(units), _micros(usd)) for account, units, usd in credits]
    whole = (sum(units for _, units, _ in parts), sum(micros for _, _, micros in parts))
    found = {(*place, account): (-units, -micros) for account, units, micros in parts}
    return {line: amount for line, amount in {(*place, debit): whole, **found}.items() if amount != (0, 0)}


def _of_credit(credit: Credit, legs: dict[UUID, UUID]) -> Amounts:
    intent_id = credit.intent_id or legs.get(credit.leg_id or UUID(int=0))
    if credit.reversed_at or not intent_id or not credit.merchant_id:
        return {}
    beside = credit.purpose in ("stray", "unattributed")
    counts = "received" if credit.final_at else "expected"
    came_as = "beside" if beside else "late" if credit.late else "payments"
    where = credit.purpose if beside else counts
    return _lines(credit, intent_id, where, (came_as, credit.base_units, credit.value_usd))


def _of_leg(leg: Leg) -> Amounts:
    if leg.status != "confirmed" or not leg.platform_fee_usd:
        return {}
    return _lines(leg, leg.intent_id, "fees", ("payments", leg.platform_fee_base_units, leg.platform_fee_usd))


def _of_refund(refund: Refund) -> Amounts:
    if refund.status in RELEASED:
        return {}
    other, other_usd = refund.other_funds_units, refund.other_funds_usd
    own = ("stray" if refund.stray_id else "received", refund.base_units - other, refund.amount_usd - other_usd)
    where = "refunded" if refund.status == "paid" else "reserved"
    return _lines(refund, refund.intent_id, where, own, ("other_funds", other, other_usd))


def _of_payout(payout: Payout) -> Amounts:
    if payout.status == "failed" or payout.rail == "direct" or not payout.intent_id:
        return {}
    where = "paid_out" if payout.status == "paid" else "reserved"
    return _lines(payout, payout.intent_id, where, ("received", payout.base_units, payout.amount_usd))


def _words(lines: Amounts) -> str:
    said = [f"{line[5]} {units}/{micros}" for line, (units, micros) in sorted(lines.items())]
    return ", ".join(said) or "nothing"
