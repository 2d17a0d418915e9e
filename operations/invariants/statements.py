"""I21 of statements: each says what was booked on its day, after the one before it, and is as it was written."""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from typing import Any

from ledger.models import Posting, Statement
from operations.invariants.scope import Scope

MICROS = 1_000_000
Sums = dict[str, tuple[int, int]]


def statements_say_what_was_booked(scope: Scope) -> Iterator[str]:
    """I21: the closing of a statement is its opening and what was booked on its day; its opening is the one before."""
    for batch in scope.batches(Statement, "written_at"):
        for statement in batch:
            said = json.loads(statement.document)
            if sha256(statement.document.encode()).hexdigest() != statement.digest:
                yield f"I21 statement {statement.pk} is not what was written"
            if _shown(said["closing"]) != _plus(_shown(said["opening"]), _booked(statement)):
                yield f"I21 statement {statement.pk} does not say what was booked on {statement.day}"
            earlier = Statement.objects.filter(**_place(statement), day__lt=statement.day)
            before = earlier.order_by("-day", "-pk").first()
            digest, closing = ("", {}) if before is None else (before.digest, json.loads(before.document)["closing"])
            if (said["previous"], said["opening"]) != (digest, closing):
                yield f"I21 statement {statement.pk} does not begin where the one before ended"


def _booked(statement: Statement) -> Sums:
    begin = datetime.combine(statement.day, time.min, tzinfo=UTC)
    day = {"booked_at__gte": begin, "booked_at__lt": begin + timedelta(days=1)}
    sums: Sums = defaultdict(lambda: (0, 0))
    for row in Posting.objects.filter(**_place(statement), **day).order_by("booked_at", "pk").iterator():
        units, micros = sums[row.account]
        sums[row.account] = (units + int(row.base_units), micros + int(row.amount_usd * MICROS))
    return sums


def _place(statement: Statement) -> dict[str, Any]:
    names = ("merchant_id", "mode", "chain", "token_address")
    return {name: getattr(statement, name) for name in names}


def _shown(amounts: dict[str, dict[str, str]]) -> Sums:
    return {
        account: (int(one["base_units"]), int(one["amount_usd"].replace(".", ""))) for account, one in amounts.items()
    }


def _plus(one: Sums, other: Sums) -> Sums:
    both = {
        account: tuple(sum(pair) for pair in zip(one.get(account, (0, 0)), other.get(account, (0, 0)), strict=True))
        for account in {*one, *other}
    }
    return {account: (sums[0], sums[1]) for account, sums in both.items() if any(sums)}
