"""The books after a step: every entry balances, and each payment's accounts say what its rows say.

Summed from the postings and from the rows; the checker of the product is asked besides.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ledger.models import Posting
from operations.invariants.books import (
    books_say_what_rows_say,
    each_entry_balances,
    each_entry_leads_back,
    what_left_is_in_the_books,
)
from operations.invariants.scope import Scope
from payments.models import Credit
from payouts.models import Payout
from refunds.models import Refund

_MICROS = 1_000_000
_INVARIANTS = (each_entry_balances, each_entry_leads_back, books_say_what_rows_say, what_left_is_in_the_books)


def faults_of_the_books(merchant_id: int) -> Iterator[str]:
    rows = list(Posting.objects.filter(merchant_id=merchant_id).order_by("pk"))
    entries: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    held: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        micros = int(row.amount_usd * _MICROS)
        for sums in (entries[row.entry], held[row.intent_id, row.account]):
            sums[0] += int(row.base_units)
            sums[1] += micros
    yield from (f"entry {entry} does not balance: {sums}" for entry, sums in entries.items() if any(sums))
    expected = _stands(merchant_id)
    for (intent_id, account), sums in sorted(held.items(), key=str):
        if account in ("received", "expected", "reserved") and sums != expected[intent_id, account]:
            yield f"the books of {intent_id} have {sums} {account}, its rows {expected[intent_id, account]}"
    scope = Scope(merchant_id=merchant_id)
    yield from (line for invariant in _INVARIANTS for line in invariant(scope))


def _stands(merchant_id: int) -> dict[Any, list[int]]:
    """By payment and account, from the rows: what is expected, there, and reserved."""
    sums: dict[Any, list[int]] = defaultdict(lambda: [0, 0])

    def add(intent_id: Any, account: str, units: int, dollars: Any) -> None:
        for place, number in enumerate((int(units), int(dollars * _MICROS))):
            sums[intent_id, account][place] += number

    for credit in Credit.objects.filter(merchant_id=merchant_id, purpose="settlement", reversed_at=None):
        where = "received" if credit.final_at else "expected"
        add(credit.intent_id, where, credit.base_units, credit.value_usd)
    leaving: list[Any] = [
        *Refund.objects.filter(merchant_id=merchant_id, stray=None).exclude(status__in=("failed", "cancelled")),
        *Payout.objects.filter(merchant_id=merchant_id).exclude(status="failed").exclude(rail="direct"),
    ]
    for row in leaving:
        other, other_usd = getattr(row, "other_funds_units", 0), getattr(row, "other_funds_usd", 0)
        add(row.intent_id, "received", -(row.base_units - other), -(row.amount_usd - other_usd))
        if row.status != "paid":
            add(row.intent_id, "reserved", row.base_units, row.amount_usd)
    for owed in Posting.objects.filter(merchant_id=merchant_id, account="owed"):
        add(owed.intent_id, "received", -owed.base_units, -owed.amount_usd)
    return sums
