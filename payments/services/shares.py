"""What each merchant may have asked of a chain that all share: nobody's addresses make another's wait.

Of a merchant that awaits more than its share on a chain of blocks, each block is asked about the newest; the others are
read in turns, by the machinery of those that rest (``payments.services.resting``). On Solana, where each account is
read by itself, merchants take turns in each round. Source: docs/adr/0101.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet, Value, Window
from django.db.models.functions import Coalesce, RowNumber

from chains.models import ChainReader, WatchedAddress
from core.clock import now
from payments.models import AwaitedBy, MarkedTransaction
from payments.services.marked import is_still_ours
from payments.services.marks import EXTENDED_SELDOM, followed, is_read_by_blocks, watched_addresses

_LOGGER = logging.getLogger("causeway.payments")
SHARE = 200
"""Addresses of a merchant that each block is asked about. Why so many: two questions, and a shop's last hours."""
MOST_LET_GO = 5_000
"""At once. Why so many: what a merchant hands out until the next turn is asked about in each block."""
MOST_FORGOTTEN = 1_000
NEVER = datetime.min.replace(tzinfo=UTC)
SOON = timedelta(minutes=1)
"""By how much of its chain's blocks an address is behind when its turn comes, where there is time for all."""


def keys(rows: QuerySet[WatchedAddress]) -> list[int]:
    """Of these addresses, in their order."""
    return list(rows.values_list("pk", flat=True))


def awaited_among(watched: Iterable[int]) -> QuerySet[AwaitedBy]:
    """Who awaits something at these addresses.

    Why their keys are read first: in the minute after many came, PostgreSQL may believe that both tables are empty.
    Then a join of them looks through one for each row of the other, which took half a minute where 3,000 were awaited.
    """
    held: QuerySet[AwaitedBy] = AwaitedBy.objects.filter(awaited_until__gt=now(), watched__among=watched)
    return held


def merchants_among(watched: Iterable[int]) -> set[int]:
    """The merchants that await something at these addresses."""
    return set(awaited_among(watched).values_list("merchant_id", flat=True).distinct())


def in_turns(rows: QuerySet[WatchedAddress]) -> QuerySet[WatchedAddress]:
    """Those of them that are awaited, though no block is asked about them."""
    return rows.filter(read_at__isnull=False, awaited_until__gt=now())


def merchants_over_share(place: str) -> int:
    """How many merchants have addresses on a chain of blocks that are read in turns, though they are awaited."""
    if not is_read_by_blocks(place):
        return 0
    return len(merchants_among(keys(in_turns(watched_addresses(place)))))


def over_share(place: str) -> set[int]:
    """Addresses that each block is asked about, though nobody has them in his share. Nobody's are in none."""
    newest = Window(RowNumber(), partition_by="merchant_id", order_by=["-awaited_until", "-pk"])
    held = awaited_among(keys(followed(watched_addresses(place)))).annotate(number=newest)
    over = set(held.filter(number__gt=SHARE).values_list("watched_id", flat=True))
    if not over:
        return over
    return over - set(held.filter(number__lte=SHARE).values_list("watched_id", flat=True))


@transaction.atomic
def let_go(reader: ChainReader) -> None:
    """Have no block asked any more about what is over its merchant's share.

    As with those that rest: all up to the reader's last final block was read; and not while something there is not
    final. Locks: the reader's row, then the addresses.
    """
    if not is_still_ours(reader):
        return
    may_come_back = Q(gone_at=None) | Q(gone_at__gt=now() - EXTENDED_SELDOM)
    unfinal = MarkedTransaction.objects.filter(may_come_back, chain=reader.chain, lane=reader.lane, final_at=None)
    over = followed(watched_addresses(reader.chain)).filter(pk__among=over_share(reader.chain))
    done = over.exclude(address__in=unfinal.values("leg__intent__settlement_address"))
    some = keys(done.order_by("awaited_until", "pk")[:MOST_LET_GO])
    if not some:
        return
    known = merchants_among(keys(in_turns(watched_addresses(reader.chain))))
    for merchant_id in sorted(merchants_among(some) - known):
        _LOGGER.warning("over_share: merchant %s awaits more than %d addresses on %s", merchant_id, SHARE, reader.chain)
    over.filter(pk__among=some).update(read_at=now(), read_to=Coalesce("read_to", Value(reader.final_to)))


@transaction.atomic
def forget_over() -> None:
    """Forget who awaits nothing any more. Locks: what is forgotten; not what another forgets, or is awaited again.

    Why no other lock is held meanwhile: who hands out locks an address before who awaits it.
    """
    over = AwaitedBy.objects.filter(awaited_until__lte=now()).select_for_update(skip_locked=True)
    some = list(over.order_by("awaited_until", "pk").values_list("pk", flat=True)[:MOST_FORGOTTEN])
    AwaitedBy.objects.filter(pk__among=some).delete()


def next_in_turn(place: str, due: QuerySet[WatchedAddress], most: int) -> list[WatchedAddress]:
    """Up to so many of these: of the merchant whose turn was longest ago half, then those that are furthest behind.

    Why half for all: of several, each is read with another's turn too.
    """
    held = list(awaited_among(keys(due)).values_list("merchant_id", "watched_id"))
    own: list[WatchedAddress] = []
    if held:
        last = _last_turns(place, [merchant for merchant, _ in held])
        whose = min({merchant for merchant, _ in held}, key=lambda merchant: (last.get(merchant, NEVER), merchant))
        mine = due.filter(pk__among=[watched for merchant, watched in held if merchant == whose])
        own = list(mine.order_by("read_to", "pk")[: most // 2])
        AwaitedBy.objects.filter(watched__among=[row.pk for row in own[:1]], merchant=whose).update(turn_at=now())
    others = due.exclude(pk__among=[row.pk for row in own]).order_by("read_to", "pk")
    return [*own, *others[: most - len(own)]]


def _last_turns(place: str, merchants: Sequence[int]) -> dict[int, datetime]:
    """When each of these had its last turn on a chain, of those that had one."""
    had = AwaitedBy.objects.filter(awaited_until__gt=now(), merchant__among=merchants, turn_at__isnull=False)
    turns = list(had.order_by("turn_at", "pk").values_list("watched_id", "merchant_id", "turn_at"))
    here = watched_addresses(place).filter(pk__among=[watched for watched, _, _ in turns])
    of_it = set(keys(here))
    return {merchant: turn_at for watched, merchant, turn_at in turns if turn_at and watched in of_it}


def merchant_by_merchant(rows: QuerySet[WatchedAddress], column: str, most: int) -> list[tuple[int, WatchedAddress]]:
    """Each merchant's first one, then each one's second, as it was left alone longest by ``column``; with its number.

    Where two await something it counts for both, and comes where it comes first. Those of nobody are one merchant's.
    """
    longest = keys(rows.order_by(F(column).asc(nulls_first=True), "pk"))
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for watched, merchant in awaited_among(longest).values_list("watched_id", "merchant_id"):
        holders[watched].append(merchant)
    had, turns = Counter[int | None](), dict[int, int]()
    for watched in longest:
        whose = holders.get(watched, [None])
        had.update(whose)
        turns[watched] = min(had[merchant] for merchant in whose)
    first = sorted(longest, key=turns.__getitem__)[:most]
    found = WatchedAddress.objects.filter(pk__among=first).in_bulk()
    return [(turns[watched], found[watched]) for watched in first if watched in found]
