"""Every write of the books: the difference between what is booked of a row and what it stands for by now.

Whoever writes a row of money says what it stood for before and stands for after; what changed is one entry, in the
same transaction. Nothing is read for it. Source: docs/adr/0112.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from uuid import uuid4

from core.bulk import insert_together
from core.clock import now
from ledger.accounts import Account, Kind
from ledger.models import Posting
from ledger.standing import Amount, Book, Key, Lines, Standing, added, sum_of


class UnbalancedError(RuntimeError):
    """What was to be booked does not add up to nothing: a fault of the program, never of a caller."""


def post(before: Standing | None, after: Standing) -> None:
    """Book what changed of a row. Locks: the caller holds the row's lock, in the transaction that changes it."""
    _store(postings(before, after))


def postings(before: Standing | None, after: Standing) -> list[Posting]:
    """The same as rows that are to be stored beside others. Empty where nothing changed. Raises: UnbalancedError.

    ``before``: None of a new row.
    """
    held: dict[Book, Lines] = {} if before is None or before.book is None else {before.book: before.lines}
    return list(_entries(after, held, None))


def bring_in_line(after: Standing, held: Mapping[Book, Lines], *, kind: Kind | None = None) -> None:
    """Book what a row stands for, less what ``booked`` says of it. Locks: as ``post``."""
    _store(list(_entries(after, held, kind)))


def booked(rows: Iterable[Key]) -> dict[Key, dict[Book, dict[Account, Amount]]]:
    """What is booked of these rows, by book and account. Why summed here: SQLite would lose digits."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for source, source_id in rows:
        wanted[source].append(source_id)
    found: dict[Key, dict[Book, dict[Account, Amount]]] = defaultdict(lambda: defaultdict(dict))
    for source, ids in wanted.items():
        for row in Posting.objects.filter(source=source, source_id__in=ids).order_by("pk"):
            book = Book(row.merchant_id, row.mode, row.chain, row.token_address, row.intent_id)
            line = {Account(row.account): Amount(row.base_units, row.amount_usd)}
            found[source, row.source_id][book] = added(found[source, row.source_id][book], line)
    return found


def _store(rows: list[Posting]) -> None:
    """In one statement, which is made once for so many rows. Source: docs/adr/0064."""
    if rows:
        insert_together(rows)


def _entries(after: Standing, held: Mapping[Book, Lines], kind: Kind | None) -> Iterator[Posting]:
    """An entry for each book whose lines change. What a row leaves is reversed before it is booked elsewhere."""
    for book in sorted(set(held) - {after.book}):
        yield from _entry(after, book, added({}, held[book], -1), kind or Kind.REVERSED)
    if after.book is not None:
        own = held.get(after.book, {})
        yield from _entry(
            after, after.book, added(after.lines, own, -1), kind or (Kind.CHANGED if own else Kind.BOOKED)
        )


def _entry(of: Standing, book: Book, lines: Lines, kind: Kind) -> Iterator[Posting]:
    if sum_of(lines) != Amount():
        raise UnbalancedError(f"{of.source} {of.source_id}: {dict(lines)}")
    entry, moment = uuid4(), now()
    for account, amount in lines.items():
        if amount != Amount():
            yield Posting(
                **book._asdict(),
                **amount._asdict(),
                entry=entry,
                account=account.value,
                kind=kind.value,
                source=of.source.value,
                source_id=of.source_id,
                booked_at=moment,
            )
