"""The books against a chain that is read afresh, block by block: what is on one side only, or differs. Writes nothing.

Which transaction is whose is asked of the same marks as readers ask; what it brought is read by another way
(``chains.reader.afresh``). Source: docs/live.md, When the books are compared.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from django.conf import settings
from django.db.models import Min, Q

from chains.models import ChainReader
from chains.reader.afresh import BLOCKS_A_QUESTION, Landed, Place, Wanted, coins_brought, landed_in
from chains.registry import EVM_NATIVE_ADDRESS
from core.modes import Mode
from payments.models import Credit, Leg, MarkedTransaction, PaymentIntent
from payments.services.marks import legs_of, watched_addresses

MOST_BLOCKS = 50_000
"""At once. Why: each block is two questions at least, to nodes that count them."""


class DifferenceName(StrEnum):
    """What a difference is called; for machines, so it does not change."""

    MISSING = "missing"
    EXTRA = "extra"
    AMOUNT_DIFFERS = "amount_differs"
    UNREAD = "unread"


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One thing that the books and the chain do not say alike; of ``unread`` the blocks alone.

    Units: base units of the token. ``legs`` are those whose marks the transaction carries, or whose credits name it.
    """

    name: DifferenceName
    first_block: int
    last_block: int
    tx_hash: str = ""
    token_address: str = ""
    recipient: str = ""
    legs: tuple[str, ...] = ()
    on_chain: int = 0
    in_books: int = 0
    why: str


@dataclass(frozen=True, kw_only=True)
class _Books:
    """What is written of some transactions: credits that stand, and where readers found a mark."""

    credits: dict[str, list[Credit]]
    marked: dict[str, list[MarkedTransaction]]

    @property
    def hashes(self) -> frozenset[str]:
        """Every transaction that has to be on the chain for this to be true."""
        standing = (tx_hash for tx_hash, rows in self.marked.items() if any(row.gone_at is None for row in rows))
        return frozenset((*self.credits, *standing))


@dataclass(frozen=True, kw_only=True)
class _Sides:
    """One transaction at one place, as the chain and the books have it; ``stands`` in one of the blocks or in none.

    Why the credits of all its legs together: for which of two marks an arrival counts is the books' own matter.
    """

    tx_hash: str
    block_number: int
    where: Place
    on_chain: int = 0
    credits: list[Credit]
    legs: list[Leg] = field(default_factory=list)
    marked: list[MarkedTransaction]
    stands: bool = True

    @property
    def in_books(self) -> int:
        """What is credited."""
        return sum(int(credit.base_units) for credit in self.credits)


def differences(place: str, first: int, last: int) -> Iterator[Difference]:
    """Every difference in these blocks of a chain, as they are found.

    No transaction may be open: nodes are asked. Raises: ChainUnavailable.
    """
    read_to = _read_to(place)
    if last > read_to:
        yield Difference(
            name=DifferenceName.UNREAD,
            first_block=max(first, read_to + 1),
            last_block=last,
            why="no reader has come so far",
        )
    places = _places(place)
    for start in range(first, last + 1, BLOCKS_A_QUESTION):
        yield from _compared(place, range(start, min(start + BLOCKS_A_QUESTION, last + 1)), places, read_to)


def _read_to(place: str) -> int:
    """The newest block that all readers of a chain have read; -1 before that."""
    rows = ChainReader.objects.filter(network=settings.NETWORK_PROFILE, chain=place)
    if not rows.exists() or rows.filter(read_to=None).exists():
        return -1
    return int(rows.aggregate(least=Min("read_to"))["least"])


def _places(place: str) -> frozenset[Place]:
    """Where money may arrive: what readers ask for, and the native coin wherever anybody ever settled in it."""
    coins = PaymentIntent.objects.filter(
        mode=Mode.LIVE, settlement_chain=place, settlement_token_address=EVM_NATIVE_ADDRESS
    )
    named = coins.order_by().values_list("settlement_token_address", "settlement_address").distinct()
    return frozenset([*watched_addresses(place).values_list("token_address", "address"), *named])


def _compared(place: str, blocks: range, places: frozenset[Place], read_to: int) -> Iterator[Difference]:
    """What differs in a few blocks. Why the books are read twice: they go on while the chain is read."""
    before = _books(place, blocks)
    own = {_where(credit) for rows in before.credits.values() for credit in rows}
    landed = landed_in(place, blocks[0], blocks[-1], Wanted(places=places | own, named=before.hashes))
    hashes = {one.opened.tx_hash for one in landed}
    books = _books(place, blocks, hashes)
    legs: dict[str, list[Leg]] = defaultdict(list)
    for leg, opened in legs_of(place, [one.opened for one in landed]):
        legs[opened.tx_hash].append(leg)
    for one in landed:
        yield from _named(_in_transaction(place, one, legs[one.opened.tx_hash], books), read_to)
    yield from _named(_in_no_block(sorted((before.hashes & books.hashes) - hashes), books), read_to)


def _named(found: Iterable[_Sides], read_to: int) -> Iterator[Difference]:
    """The differences among these. Why none is missing beyond the readers: the blocks are ``unread`` already."""
    for sides in found:
        verdict = _verdict(sides)
        if verdict is None or (verdict[0] is DifferenceName.MISSING and sides.block_number > read_to):
            continue
        legs = {leg.pk for leg in sides.legs} | {credit.leg_id for credit in sides.credits if credit.leg_id}
        yield Difference(
            name=verdict[0],
            first_block=sides.block_number,
            last_block=sides.block_number,
            tx_hash=sides.tx_hash,
            token_address=sides.where[0],
            recipient=sides.where[1],
            legs=tuple(sorted(str(leg) for leg in legs | {row.leg_id for row in sides.marked})),
            on_chain=sides.on_chain,
            in_books=sides.in_books,
            why=verdict[1],
        )


def _verdict(sides: _Sides) -> tuple[DifferenceName, str] | None:
    """How the two differ, and in which way; None where they agree."""
    if not sides.stands:
        return DifferenceName.EXTRA, "it stands in none of these blocks"
    if sides.in_books and not sides.on_chain:
        return DifferenceName.EXTRA, "it brought nothing there"
    if sides.in_books and sides.in_books != sides.on_chain:
        return DifferenceName.AMOUNT_DIFFERS, "the credits do not add up to what arrived"
    unmarked = {leg.pk for leg in sides.legs} - {row.leg_id for row in sides.marked if row.gone_at is None}
    if not sides.on_chain or (sides.in_books and not unmarked):
        return None
    if unmarked:
        seen = "its reader took it back" if sides.marked else "no reader found it"
        return DifferenceName.MISSING, f"{seen}, and it is {'' if sides.in_books else 'not '}credited"
    has_news = any(row.looked_at is None or row.looked_at <= row.news_at for row in sides.marked)
    return (
        DifferenceName.MISSING,
        "it was found, not looked at yet" if has_news else "it was looked at, not credited",
    )


def _in_transaction(place: str, landed: Landed, legs: Iterable[Leg], books: _Books) -> Iterator[_Sides]:
    """One transaction at each place where its marks ask for something, or where it is credited."""
    opened = landed.opened
    asked: dict[Place, list[Leg]] = defaultdict(list)
    for leg in legs:
        if leg.intent.settlement_chain == place:
            asked[leg.intent.settlement_token_address, leg.intent.settlement_address].append(leg)
    credits = books.credits.get(opened.tx_hash, [])
    for where in sorted({*asked, *map(_where, credits)}):
        inside = where[0] == EVM_NATIVE_ADDRESS and landed.has_calls
        yield _Sides(
            tx_hash=opened.tx_hash,
            block_number=opened.block_number,
            where=where,
            on_chain=coins_brought(place, opened.tx_hash, where[1]) if inside else landed.units.get(where, 0),
            credits=[credit for credit in credits if _where(credit) == where],
            legs=asked[where],
            marked=books.marked.get(opened.tx_hash, []),
        )


def _in_no_block(hashes: Iterable[str], books: _Books) -> Iterator[_Sides]:
    """What is in the books of transactions that the chain does not have."""
    for tx_hash in hashes:
        credits, marked = books.credits.get(tx_hash, []), books.marked.get(tx_hash, [])
        for where in sorted({*map(_where, credits)}) or [("", "")]:
            yield _Sides(
                tx_hash=tx_hash,
                block_number=credits[0].block_number if credits else marked[0].block_number,
                where=where,
                credits=[credit for credit in credits if _where(credit) == where],
                marked=marked,
                stands=False,
            )


def _where(credit: Credit) -> Place:
    return credit.token_address, credit.recipient


def _books(place: str, blocks: range, hashes: Iterable[str] = ()) -> _Books:
    there = Q(block_number__gte=blocks[0], block_number__lte=blocks[-1]) | Q(tx_hash__in=list(hashes))
    credits: dict[str, list[Credit]] = defaultdict(list)
    marked: dict[str, list[MarkedTransaction]] = defaultdict(list)
    own = Credit.objects.filter(there, network=settings.NETWORK_PROFILE, mode=Mode.LIVE, chain=place, reversed_at=None)
    for credit in own.order_by("pk"):
        credits[credit.tx_hash].append(credit)
    for row in MarkedTransaction.objects.filter(there, chain=place).order_by("pk"):
        marked[row.tx_hash].append(row)
    return _Books(credits=credits, marked=marked)
