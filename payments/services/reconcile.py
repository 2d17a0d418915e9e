"""The books against a chain that is read afresh, block by block: what is on one side only, or differs. Writes nothing.

Which transaction is whose is asked of the same marks as readers ask; what it brought is read by another way
(``chains.reader.afresh``, ``chains.reader.solana_afresh``). Source: docs/live.md, When the books are compared.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.db.models import Min, Q, QuerySet

from chains.clients.base import Mark
from chains.models import ChainReader
from chains.reader.afresh import BLOCKS_A_QUESTION, Landed, Place, Wanted, coins_brought, landed_in
from chains.reader.solana_afresh import landed_in_accounts
from chains.registry import EVM_NATIVE_ADDRESS
from core.modes import Mode
from payments.models import Credit, Leg, MarkedTransaction, PaymentIntent
from payments.services.marks import is_read_by_blocks, legs_of, watched_addresses

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
    """What is written of some transactions, by hash: credits that stand, and where readers found a mark."""

    credits: dict[str, list[Credit]]
    marked: dict[str, list[MarkedTransaction]]


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
    places, written = _places(place), _written(place, first, last)
    at_once = BLOCKS_A_QUESTION if is_read_by_blocks(place) else last - first + 1
    for start in range(first, last + 1, at_once):
        blocks = range(start, min(start + at_once, last + 1))
        named = {tx_hash for block in blocks for tx_hash in written.get(block, ())}
        yield from _compared(place, blocks, Wanted(places=places, named=frozenset(named)), read_to)


def _read_to(place: str) -> int:
    """The newest block that all readers of a chain have read; -1 before that."""
    rows = ChainReader.objects.filter(network=settings.NETWORK_PROFILE, chain=place)
    if not rows.exists() or rows.filter(read_to=None).exists():
        return -1
    return int(rows.aggregate(least=Min("read_to"))["least"])


def _own_read_to(place: str, where: Place, read_to: int) -> int:
    """How far that place of a chain was read: less far than its readers where the address rests."""
    token, address = where
    if not is_read_by_blocks(place):
        return read_to
    own = (
        watched_addresses(place).filter(token_address=token, address=address).values_list("read_to", flat=True).first()
    )
    return read_to if own is None else min(read_to, own)


def _places(place: str) -> frozenset[Place]:
    """Where money may arrive: what readers ask for, and the native coin wherever anybody ever settled in it."""
    coins = PaymentIntent.objects.filter(
        mode=Mode.LIVE, settlement_chain=place, settlement_token_address=EVM_NATIVE_ADDRESS
    )
    named = coins.order_by().values_list("settlement_token_address", "settlement_address").distinct()
    return frozenset([*watched_addresses(place).values_list("token_address", "address"), *named])


def _standing(place: str) -> QuerySet[Credit]:
    """What is credited. Why without strays: they count for nothing, and not every token is looked for."""
    rows: QuerySet[Credit] = Credit.objects.filter(
        network=settings.NETWORK_PROFILE, mode=Mode.LIVE, chain=place, reversed_at=None
    ).exclude(mark=Mark.STRAY)
    return rows


def _written(place: str, first: int, last: int) -> dict[int, set[str]]:
    """Which transactions the books have in which block. Why of all blocks at once: credits have no index by block."""
    there = {"block_number__gte": first, "block_number__lte": last}
    marked = MarkedTransaction.objects.filter(chain=place, gone_at=None, **there)
    found: dict[int, set[str]] = defaultdict(set)
    for rows in (_standing(place).filter(**there), marked):
        for block, tx_hash in rows.order_by("pk").values_list("block_number", "tx_hash"):
            found[block].add(tx_hash)
    return found


def _compared(place: str, blocks: range, wanted: Wanted, read_to: int) -> Iterator[Difference]:
    """What differs in a few blocks. Why the books are read after them: they go on while the chain is read."""
    own = set(_standing(place).filter(tx_hash__among=wanted.named).values_list("token_address", "recipient"))
    read = landed_in if is_read_by_blocks(place) else landed_in_accounts
    landed = read(place, blocks[0], blocks[-1], replace(wanted, places=wanted.places | own))
    hashes = {one.opened.tx_hash for one in landed}
    legs: dict[str, list[Leg]] = defaultdict(list)
    for leg, opened in legs_of(place, [one.opened for one in landed]):
        legs[opened.tx_hash].append(leg)
    books = _books(place, blocks, wanted.named | hashes, {leg.pk for found in legs.values() for leg in found})
    for one in landed:
        yield from _named(place, _in_transaction(place, one, legs[one.opened.tx_hash], books), read_to)
    yield from _named(place, _in_no_block(blocks, sorted(wanted.named - hashes), books), read_to)


def _named(place: str, found: Iterable[_Sides], read_to: int) -> Iterator[Difference]:
    """The differences among these. Why none is missing beyond the readers: the blocks are ``unread`` already."""
    for sides in found:
        verdict = _verdict(sides)
        if verdict is None:
            continue
        if verdict[0] is DifferenceName.MISSING and sides.block_number > _own_read_to(place, sides.where, read_to):
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
    legs = {leg.pk for leg in sides.legs}
    marked = [row for row in sides.marked if row.leg_id in legs]
    unmarked = legs - {row.leg_id for row in marked if row.gone_at is None}
    if not sides.on_chain or (sides.in_books and not unmarked):
        return None
    if unmarked:
        seen = "its reader took it back" if any(row.leg_id in unmarked for row in marked) else "no reader found it"
        return DifferenceName.MISSING, f"{seen}, and it is {'' if sides.in_books else 'not '}credited"
    has_news = any(row.looked_at is None or row.looked_at <= row.news_at for row in marked)
    return DifferenceName.MISSING, "it was found, not looked at yet" if has_news else "it was looked at, not credited"


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


def _in_no_block(blocks: range, hashes: Iterable[str], books: _Books) -> Iterator[_Sides]:
    """What the books still have in these blocks, of transactions that are in none of them."""
    for tx_hash in hashes:
        credits = [credit for credit in books.credits.get(tx_hash, []) if credit.block_number in blocks]
        rows = books.marked.get(tx_hash, [])
        marked = [row for row in rows if row.block_number in blocks and row.gone_at is None]
        for where in sorted({*map(_where, credits)}) or ([("", "")] if marked else []):
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


def _books(place: str, blocks: range, hashes: Iterable[str], legs: Iterable[UUID]) -> _Books:
    """Of these transactions; of marks by block and leg too, since only these have an index."""
    credits: dict[str, list[Credit]] = defaultdict(list)
    marked: dict[str, list[MarkedTransaction]] = defaultdict(list)
    for credit in _standing(place).filter(tx_hash__among=list(hashes)).order_by("pk"):
        credits[credit.tx_hash].append(credit)
    there = Q(block_number__gte=blocks[0], block_number__lte=blocks[-1]) | Q(leg__in=list(legs))
    for row in MarkedTransaction.objects.filter(there, chain=place, tx_hash__among=list(hashes)).order_by("pk"):
        marked[row.tx_hash].append(row)
    return _Books(credits=credits, marked=marked)
