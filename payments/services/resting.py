"""Addresses on chains of blocks where nothing is awaited any more: they are read a day later, and not with each block.

While something is awaited each block is asked about an address, and ``read_at`` is empty. Afterwards it rests: it has a
cursor of its own, ``read_to``, and final blocks alone are read for it, many blocks and many addresses a question. One
that is awaited again is asked about from the next block on, and keeps its cursor until what lies between was read too.
However many rest, one turn asks no more. Source: docs/adr/0100.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from secrets import token_hex

from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce

from chains.errors import ChainUnavailable
from chains.models import ChainReader, WatchedAddress
from chains.reader.base import Bite, Progress, Watch
from chains.reader.rounds import Round
from chains.registry import chain
from core.bulk import update_rows
from core.clock import now
from payments.models import MarkedTransaction
from payments.services.marked import is_still_ours, leave_out, note_found, note_news
from payments.services.marks import BRIDGES_WATCHED, EXTENDED_SELDOM, followed, legs_of, not_left_out, watched_addresses
from payments.services.shares import SOON, forget_over, in_turns, let_go, next_in_turn

_LOGGER = logging.getLogger("causeway.payments")
SELDOM = timedelta(days=1)
"""By how much of its chain's blocks an address is behind when it is read on, where there is time for all that rest."""
MOST_AT_ONCE = 1_000
"""Addresses in a turn. Those that were slow together are halved."""
RANGES, PART_OF_A_RANGE = 2, 4
"""Ranges of blocks in a turn; and for what was slow a part of one. Why so few: new blocks wait meanwhile."""
MOST_PUT_TO_REST = 1_000
"""At once."""


def read_resting(reader: ChainReader, asked: Round) -> None:
    """One turn: those where nothing is awaited any more begin to rest, and some are read on.

    Those that are awaited again, those over their merchant's share, those that rest, and those of both that were slow
    have a turn each: none waits for another. Of those that rest the ones that are furthest behind come first. Why: they
    meet the next ones, and go on with them in one question. No transaction may be open.
    """
    put_to_rest(reader)
    forget_over()
    let_go(reader)
    own = not_left_out(reader.chain).filter(read_to__isnull=False)
    again = own.filter(read_at=None).order_by(F("final_at").asc(nulls_first=True), "pk")
    waits = in_turns(own).filter(read_to__lt=_is_due_before(reader, SOON))
    rest = own.filter(read_at__isnull=False, read_to__lt=_is_due_before(reader, SELDOM))
    over = rest.filter(final_at=None).exclude(awaited_until__gt=now()).order_by("read_to", "pk")
    slow = (rest | waits).filter(final_at__isnull=False).order_by("final_at", "pk")
    for rows in (
        again,
        next_in_turn(reader.chain, waits.filter(final_at=None), MOST_AT_ONCE),
        over,
        slow,
    ):
        some = _beside_the_first(reader, list(rows[:MOST_AT_ONCE]))
        if some and _begin(reader, some):
            bite = _read_on(reader, asked, some, _read_to(some[0]) + _span(reader, some[0]))
            due = min(bite.parted_at + reader.width // PART_OF_A_RANGE, reader.final_to or 0)
            is_slow = bite.read_to < due and not _is_narrow(reader, asked, some[0])
            _record(reader, some, bite, is_slow=is_slow)


def _is_due_before(reader: ChainReader, behind: timedelta) -> int:
    """The block up to which an address must have been read, or it is read on now."""
    known = chain(reader.chain)
    blocks = 0 if known is None else int(Decimal(behind.total_seconds()) / known.block_seconds)
    return (reader.final_to or 0) - blocks


@transaction.atomic
def put_to_rest(reader: ChainReader) -> None:
    """Let rest where nothing is awaited any more. All there was read, up to the reader's last final block.

    Why not while something there is not final, or may come back: the second reading would not show it. Why what an
    earlier release wrote down ends a day from now: nobody knows when, and that release may still run beside this one.
    Locks: the reader's row, then the addresses.
    """
    if not is_still_ours(reader):
        return
    asked = followed(watched_addresses(reader.chain))
    endless = list(asked.filter(awaited_until=None).order_by("pk").values_list("pk", flat=True)[:MOST_PUT_TO_REST])
    until = now() + BRIDGES_WATCHED + EXTENDED_SELDOM
    asked.filter(pk__among=endless, awaited_until=None).update(awaited_until=until)
    over = asked.filter(awaited_until__lte=now())
    may_come_back = Q(gone_at=None) | Q(gone_at__gt=now() - EXTENDED_SELDOM)
    unfinal = MarkedTransaction.objects.filter(may_come_back, chain=reader.chain, lane=reader.lane, final_at=None)
    done = over.exclude(address__in=unfinal.values("leg__intent__settlement_address"))
    some = list(done.order_by("pk").values_list("pk", flat=True)[:MOST_PUT_TO_REST])
    over.filter(pk__among=some).update(read_at=now(), read_to=Coalesce("read_to", Value(reader.final_to)))


def _beside_the_first(reader: ChainReader, rows: Sequence[WatchedAddress]) -> list[WatchedAddress]:
    """The first, and those that are read with it: as slow as it was, and no further than the turn will come."""
    if not rows:
        return []
    most, first = _most(rows[0]), _read_to(rows[0])
    reach = first + _span(reader, rows[0])
    return [row for row in rows if _most(row) == most and first <= _read_to(row) < reach][:most]


def _most(row: WatchedAddress) -> int:
    """How many may be read together with it."""
    most: int = row.cursor.get("most", MOST_AT_ONCE)
    return most


def _read_to(row: WatchedAddress) -> int:
    return row.read_to or 0


@transaction.atomic
def _begin(reader: ChainReader, rows: Sequence[WatchedAddress]) -> bool:
    """Count the turn as a slow one, until it ends as another. Why: where it never ends it was.

    Says whether the chain is still this worker's.
    """
    if not is_still_ours(reader):
        return False
    own = WatchedAddress.objects.filter(pk__among=[row.pk for row in rows])
    own.update(final_at=now(), cursor={"most": max(len(rows) // 2, 1)})
    return True


def _read_on(reader: ChainReader, asked: Round, rows: Sequence[WatchedAddress], last: int) -> Bite:
    """The blocks up to ``last`` of some addresses, by every node that answers; nothing where none does."""
    first, last = _read_to(rows[0]), min(last, reader.final_to or 0)
    nothing = Bite(opened=(), parted_at=first, read_to=first, head=last, width=reader.width)
    if last <= first:
        return nothing
    watch = Watch(transfers=frozenset((row.token_address, row.address) for row in rows))
    try:
        return asked.final(Progress(read_to=first, width=reader.width), lambda: watch, last)
    except ChainUnavailable as error:
        _LOGGER.warning("addresses of %s that rest wait: %s", reader.chain, error)
        return nothing


def _is_narrow(reader: ChainReader, asked: Round, row: WatchedAddress) -> bool:
    """Whether nodes tell logs of so few blocks whatever they are asked about; the reader's width is then that.

    Why asked about nobody: where nothing is awaited on the chain no other question says it.
    """
    nobody = WatchedAddress(token_address=row.token_address, address=f"0x{token_hex(20)}", read_to=row.read_to)
    bite = _read_on(reader, asked, [nobody], _read_to(row) + reader.width)
    is_narrow = bite.width < reader.width
    reader.width = min(bite.width, reader.width)
    return is_narrow


def _span(reader: ChainReader, row: WatchedAddress) -> int:
    """How many blocks are read in a turn. Why few of what was slow: it may have much in each of them."""
    if _most(row) == MOST_AT_ONCE:
        return reader.width * RANGES
    return max(reader.width // PART_OF_A_RANGE, 1)


@transaction.atomic
def _record(reader: ChainReader, rows: Sequence[WatchedAddress], bite: Bite, *, is_slow: bool) -> None:
    """Write down what was found, which is final, and how far each came.

    Locks: the reader's row, the intents that have news, then the addresses, in the order of who hands out.
    """
    if not is_still_ours(reader):
        return
    note_found(reader, legs_of(reader.chain, bite.opened))
    _note_final(reader, bite)
    first = _read_to(rows[0])
    # Why from there on: whoever put one back meanwhile has it read from where he said.
    own = WatchedAddress.objects.filter(pk__among=[row.pk for row in rows], read_to__gte=first)
    written = list(own.order_by("pk").select_for_update())
    for row in written:
        if not is_slow:
            most = min(2 * _most(rows[0]), MOST_AT_ONCE)
            row.cursor, row.final_at = ({}, None) if most == MOST_AT_ONCE else ({"most": most}, row.final_at)
        _go_on(row, reader, first if row.address in bite.refused else bite.read_to)
    update_rows(written, ["cursor", "final_at", "read_to", "read_at"])
    reader.save(update_fields=["width"])
    if bite.refused:
        leave_out(reader.chain, [row for row in written if row.address in bite.refused], "refused")


def _note_final(reader: ChainReader, bite: Bite) -> None:
    """What stands in final blocks is final. Why nothing is gone: other addresses were not asked about."""
    shown = {one.tx_hash for one in bite.opened}
    rows = MarkedTransaction.objects.filter(chain=reader.chain, lane=reader.lane, final_at=None)
    there = rows.filter(block_number__gt=bite.parted_at, block_number__lte=bite.read_to).order_by("pk")
    note_news([row for row in there if row.tx_hash in shown], in_turn=True, final_at=now(), gone_at=None)


def _go_on(row: WatchedAddress, reader: ChainReader, reached: int) -> None:
    """How far it came. Where it is awaited again, and as far as its reader, it goes along with that.

    Why nothing lies between: the second reading goes on from that block, and asks about all that is awaited by then.
    """
    row.read_to = max(_read_to(row), reached)
    if row.read_at is not None:
        row.read_at = now()
    elif row.read_to >= (reader.final_to or 0):
        row.read_to = None
