"""A statement for each merchant, mode and asset of each day on which something was booked, written once it is over.

Source: docs/ledger.md, Statements.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Max, QuerySet

from core.bulk import insert_once
from core.clock import now, wire_time
from core.money import BaseUnits, UsdAmount, to_decimal_string
from ledger.accounts import Account
from ledger.models import Opening, Posting, Statement, StatementDay
from ledger.standing import Amount, added
from proofs.canonical import canonical
from proofs.keys import sign

TYPE: Final = "causeway.statement.v1"
AFTER_THE_DAY: Final = timedelta(hours=1)
"""How long after a day its statements are written: no transaction of that day is open any more."""
MOST_DAYS: Final = 31
"""Written in one turn of the clock."""


class Asset(NamedTuple):
    """Whose books, and of what."""

    merchant_id: int
    mode: str
    chain: str
    token_address: str


def write_statements() -> int:
    """Write the statements of days that are over; returns of how many days. Nothing before the books are open."""
    if not Opening.objects.filter(finished_at__isnull=False).exists():
        return 0
    written = 0
    for _ in range(MOST_DAYS):
        day = _next_day()
        if day is None or ends(day) + AFTER_THE_DAY > now() or not _write_day(day):
            break
        written += 1
    return written


def begins(day: date) -> datetime:
    """The first moment of a day in UTC."""
    return datetime.combine(day, time.min, tzinfo=UTC)


def ends(day: date) -> datetime:
    """The first moment after a day in UTC."""
    return begins(day + timedelta(days=1))


def of_day(asset: Asset, day: date) -> QuerySet[Posting]:
    """What was booked of an asset on a day, in order."""
    mine = Posting.objects.filter(**asset._asdict(), booked_at__gte=begins(day), booked_at__lt=ends(day))
    return mine.order_by("booked_at", "pk")


def file_of(statement: Statement) -> bytes:
    """A statement to be kept, with its signature: canonical JSON.

    What is signed is ``statement`` written in that way, for the purpose ``TYPE``. Source: docs/ledger.md, Statements.
    """
    signed = {"key_id": statement.key_id, "signature": statement.signature}
    return canonical({"statement": json.loads(statement.document), "digest": statement.digest, **signed})


def line_of(row: Posting) -> str:
    """One posting as the digest of a statement takes it."""
    facts = {
        "entry": str(row.entry),
        "account": row.account,
        "base_units": str(row.base_units),
        "amount_usd": to_decimal_string(row.amount_usd, 6),
        "kind": row.kind,
        "source": row.source,
        "source_id": row.source_id,
        "payment_intent_id": str(row.intent_id),
        "booked_at": wire_time(row.booked_at),
    }
    return canonical(facts).decode()


def amounts_of(shown: dict[str, dict[str, str]]) -> dict[Account, Amount]:
    """The amounts that a statement shows, by account."""
    return {
        Account(account): Amount(BaseUnits(int(one["base_units"])), UsdAmount(Decimal(one["amount_usd"])))
        for account, one in shown.items()
    }


def closing_of(statement: Statement | None) -> dict[Account, Amount]:
    """What was on each account after a statement's day; nothing where there is none."""
    return {} if statement is None else amounts_of(json.loads(statement.document)["closing"])


def summed(rows: Iterable[Posting]) -> dict[Account, Amount]:
    """What postings add up to, by account. Why summed here: SQLite would lose digits."""
    found: dict[Account, Amount] = defaultdict(Amount)
    for row in rows:
        account = Account(row.account)
        found[account] = found[account].plus(Amount(row.base_units, row.amount_usd))
    return dict(found)


def document_of(asset: Asset, day: date, before: Statement | None) -> str:
    """The statement of a day, after the one before it, over what was booked on that day.

    Why in one pass: a day can have more postings than memory.
    """
    opening, count, digest = closing_of(before), 0, sha256()
    sums: dict[Account, Amount] = {}
    for count, row in enumerate(of_day(asset, day).iterator(), 1):
        digest.update(("\n" if count > 1 else "").encode() + line_of(row).encode())
        sums = added(sums, {Account(row.account): Amount(row.base_units, row.amount_usd)})
    return canonical(
        {
            "type": TYPE,
            "merchant": str(asset.merchant_id),
            "mode": asset.mode,
            "chain": asset.chain,
            "token_address": asset.token_address,
            "day": day.isoformat(),
            "opening": _shown(opening),
            "closing": _shown(added(opening, sums)),
            "postings": count,
            "postings_sha256": digest.hexdigest(),
            "previous": "" if before is None else before.digest,
        }
    ).decode()


def _shown(amounts: dict[Account, Amount]) -> dict[str, dict[str, str]]:
    return {
        account.value: {
            "base_units": str(amount.base_units),
            "amount_usd": to_decimal_string(amount.amount_usd, 6),
        }
        for account, amount in amounts.items()
        if amount != Amount()
    }


def _next_day() -> date | None:
    """The day after the last one that was written, or that of the first posting."""
    last = StatementDay.objects.order_by("-pk").values_list("day", flat=True).first()
    if last is not None:
        return last + timedelta(days=1)
    first = Posting.objects.order_by("pk").values_list("booked_at", flat=True).first()
    return None if first is None else first.astimezone(UTC).date()


@transaction.atomic
def _write_day(day: date) -> bool:
    """Whether nobody else wrote it. Why from that posting on: those of the day come after the day before yesterday."""
    newest = Posting.objects.aggregate(newest=Max("pk"))["newest"] or 0
    if not insert_once(StatementDay(day=day, last_posting=newest)):
        return False
    earlier = StatementDay.objects.filter(day__lte=day - timedelta(days=2)).order_by("-pk")
    since = earlier.values_list("last_posting", flat=True).first() or 0
    booked = Posting.objects.filter(pk__gt=since, booked_at__gte=begins(day), booked_at__lt=ends(day))
    for asset in sorted(booked.values_list(*Asset._fields).distinct().order_by()):
        _write(Asset(*asset), day)
    return True


def _write(asset: Asset, day: date) -> None:
    mine = Statement.objects.filter(**asset._asdict(), day__lt=day)
    document = document_of(asset, day, mine.order_by("-day", "-pk").first())
    signed = sign(TYPE, document.encode())
    facts = {"document": document, "digest": sha256(document.encode()).hexdigest()}
    Statement.objects.create(**asset._asdict(), **facts, day=day, key_id=signed.key_id, signature=signed.value)
