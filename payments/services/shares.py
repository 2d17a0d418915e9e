"""What each merchant may have asked of a chain that all share: nobody's addresses make another's wait.

Of a merchant that awaits more than its share on a chain of blocks, each block is asked about the newest; the others are
read in turns, by the machinery of those that rest (``payments.services.resting``). On Solana, where each account is
read by itself, merchants take turns in each round. Source: docs/adr/0101.
"""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, FilteredRelation, Max, OuterRef, Q, QuerySet, Value, Window
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
SOON = timedelta(minutes=1)
"""By how much of its chain's blocks an address is behind when its turn comes, where there is time for all."""


def awaited_at(place: str) -> QuerySet[AwaitedBy]:
    """Who awaits something at an address of a chain."""
    rows: QuerySet[AwaitedBy] = AwaitedBy.objects.filter(
        awaited_until__gt=now(), watched__network=settings.NETWORK_PROFILE, watched__chain=place
    )
    return rows


def in_turns(rows: QuerySet[WatchedAddress]) -> QuerySet[WatchedAddress]:
    """Those of them that are awaited, though no block is asked about them."""
    return rows.filter(read_at__isnull=False, awaited_until__gt=now())


def merchants_over_share(place: str) -> int:
    """How many merchants have addresses on a chain of blocks that are read in turns, though they are awaited."""
    if not is_read_by_blocks(place):
        return 0
    return awaited_at(place).filter(watched__read_at__isnull=False).values("merchant_id").distinct().count()


def over_share(place: str) -> QuerySet[WatchedAddress]:
    """Addresses that each block is asked about, though nobody has them in his share. Nobody's are in none."""
    asked = followed(watched_addresses(place))
    held = awaited_at(place).filter(watched__read_at=None)
    newest = Window(RowNumber(), partition_by="merchant_id", order_by=["-awaited_until", "-pk"])
    within = held.annotate(number=newest).filter(number__lte=SHARE)
    somebodys = AwaitedBy.objects.filter(watched=OuterRef("pk"), awaited_until__gt=now())
    return asked.filter(Exists(somebodys)).exclude(pk__in=within.values("watched_id"))


@transaction.atomic
def let_go(reader: ChainReader) -> None:
    """Have no block asked any more about what is over its merchant's share, and forget who awaits nothing any more.

    As with those that rest: all up to the reader's last final block was read; and not while something there is not
    final. Locks: the reader's row, then the addresses.
    """
    if not is_still_ours(reader):
        return
    forget_over(reader.chain)
    may_come_back = Q(gone_at=None) | Q(gone_at__gt=now() - EXTENDED_SELDOM)
    unfinal = MarkedTransaction.objects.filter(may_come_back, chain=reader.chain, lane=reader.lane, final_at=None)
    over = over_share(reader.chain).exclude(address__in=unfinal.values("leg__intent__settlement_address"))
    some = list(over.order_by("awaited_until", "pk").values_list("pk", flat=True)[:MOST_LET_GO])
    if not some:
        return
    waiting = awaited_at(reader.chain).filter(watched__read_at__isnull=False)
    begun = awaited_at(reader.chain).filter(watched__among=some).exclude(merchant__in=waiting.values("merchant_id"))
    for merchant_id in begun.order_by("merchant_id").values_list("merchant_id", flat=True).distinct():
        _LOGGER.warning("over_share: merchant %s awaits more than %d addresses on %s", merchant_id, SHARE, reader.chain)
    asked = followed(watched_addresses(reader.chain))
    asked.filter(pk__among=some).update(read_at=now(), read_to=Coalesce("read_to", Value(reader.final_to)))


def forget_over(place: str) -> None:
    """Forget who awaits nothing any more at addresses of a chain."""
    over = AwaitedBy.objects.filter(awaited_until__lte=now(), watched__in=watched_addresses(place).values("pk"))
    some = list(over.order_by("awaited_until", "pk").values_list("pk", flat=True)[:MOST_FORGOTTEN])
    AwaitedBy.objects.filter(pk__among=some).delete()


def next_in_turn(place: str, due: QuerySet[WatchedAddress], most: int) -> list[WatchedAddress]:
    """Up to so many of these: of the merchant whose turn was longest ago half, then those that are furthest behind.

    Why half for all: of several, each is read with another's turn too.
    """
    holders = awaited_at(place)
    # Why a question of its own: as a part of the next one, PostgreSQL looked through all that is due for each address.
    holds = FilteredRelation("awaited_by", condition=Q(awaited_by__awaited_until__gt=now()))
    held = due.annotate(holds=holds).filter(holds__isnull=False).order_by()
    waiting = list(held.values_list("holds__merchant_id", flat=True).distinct())
    last = holders.filter(merchant__among=waiting).values("merchant_id").annotate(last=Max("turn_at"))
    whose = last.order_by(F("last").asc(nulls_first=True), "merchant__id").first()
    own: list[WatchedAddress] = []
    if whose is not None:
        # Why not of ``holders``: what is due is of this chain already, and PostgreSQL would look through all for each.
        of_one = Exists(
            AwaitedBy.objects.filter(watched=OuterRef("pk"), merchant=whose["merchant_id"], awaited_until__gt=now())
        )
        own = list(due.filter(of_one).order_by("read_to", "pk")[: most // 2])
        first = holders.filter(watched__in=own[:1], merchant=whose["merchant_id"])
        AwaitedBy.objects.filter(pk__in=list(first.values_list("pk", flat=True))).update(turn_at=now())
    others = due.exclude(pk__among=[row.pk for row in own]).order_by("read_to", "pk")
    return [*own, *others[: most - len(own)]]


def merchant_by_merchant(rows: QuerySet[WatchedAddress], column: str) -> QuerySet[WatchedAddress]:
    """Each merchant's first one, then each one's second, as it was left alone longest by ``column``.

    Where two await something, an address is named twice. ``turn`` is its number; those of nobody are one merchant's.
    """
    holds = FilteredRelation("awaited_by", condition=Q(awaited_by__awaited_until__gt=now()))
    longest = F(column).asc(nulls_first=True)
    turn = Window(RowNumber(), partition_by="holds__merchant_id", order_by=[longest, "pk"])
    return rows.annotate(holds=holds).annotate(turn=turn).order_by("turn", longest, "pk")
