"""What can not be true of the books, planted past the triggers that refuse it, once all rows are booked."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from uuid import uuid4

from core.clock import now
from ledger.models import Opening, Posting, Statement
from operations.opening import book_payment
from payments.models import PaymentIntent
from tests.ledger.forgetting import forget_the_books, went_around


def _booked() -> None:
    Opening.objects.create(finished_at=now())
    for intent_id in list(PaymentIntent.objects.values_list("pk", flat=True)):
        book_payment(intent_id)


def _first(**which: str) -> Posting:
    _booked()
    found: Posting = Posting.objects.filter(**which).earliest("pk")
    return found


def _half_an_entry(_: Any) -> None:
    row = _first(account="payments")
    went_around("UPDATE ledger_posting SET amount_usd = %s WHERE id = %s", 0, row.pk)


def _of_nothing(_: Any) -> None:
    row = _first(source="refund")
    went_around("UPDATE ledger_posting SET source_id = %s WHERE source_id = %s", str(uuid4()), row.source_id)


def _not_booked(_: Any) -> None:
    forget_the_books(of=_first(source="credit").source_id)


def _left_unbooked(_: Any) -> None:
    forget_the_books(of=_first(source="payout").source_id)


def _a_statement_of_nothing(_: Any) -> None:
    row = _first(account="payments")
    closing = {"received": {"base_units": "1", "amount_usd": "0.000001"}}
    document = json.dumps({"opening": {}, "closing": closing, "previous": ""})
    place = {name: getattr(row, name) for name in ("merchant_id", "mode", "chain", "token_address")}
    digest = sha256(document.encode()).hexdigest()
    Statement.objects.create(**place, day=row.booked_at.date(), document=document, digest=digest)


PLANTS: dict[str, Callable[[Any], object]] = {
    "I21 entry .* is off by 0 base units and 25000000 micro-dollars": _half_an_entry,
    "I21 refund .* is booked, and does not exist": _of_nothing,
    "I21 credit .* stands for .*, and is booked as nothing": _not_booked,
    "I21 transfer .* sent .*, and the books say {}": _left_unbooked,
    "I21 statement .* does not say what was booked on": _a_statement_of_nothing,
}
