"""Reading the chains of live payments block by block: what carries a leg's mark is written down, and its intent woken.

A chain has one reader at a time. Every block is read twice: when it is new, so that a payer sees it soon, and when its
chain calls it final, by every node that answers. What a transaction brought, and whether it counts, is decided
by the look at its leg (``payments.services.watch``). Source: docs/adr/0058.
"""

import logging
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from chains.errors import ChainUnavailable
from chains.models import ChainReader, Lane
from chains.reader.base import Bite, Progress
from chains.reader.evm import WIDEST
from chains.reader.rounds import Round
from chains.registry import chain
from core.clock import now
from core.leases import time_limit
from payments.models import MarkedTransaction
from payments.services.marked import is_still_ours, leave_out, note_found, note_gone, note_news, own_row
from payments.services.marks import (
    awaited_on_chains,
    coins_awaited,
    is_read,
    lanes_of,
    legs_of,
    watch_for,
    watched_addresses,
)
from payments.services.reading_accounts import read_accounts
from payments.services.resting import read_resting

_LOGGER = logging.getLogger("causeway.payments")
LEASE = timedelta(seconds=30)
"""How long a chain waits for a reader that died. Why it may run out under a slow one: what that finds is dropped."""
SWEEP_SECONDS = 5
FINAL_EVERY = timedelta(seconds=15)
"""How often blocks are read for the second time. Why no more often: nothing waits for it but repairs."""
SHORTEST_PAUSE, LONGEST_PAUSE = timedelta(seconds=1), timedelta(seconds=5)
"""From one round to the next: half the time of a block, within these."""
EARLY = timedelta(milliseconds=100)
"""So much before a chain is due. Why: the clock's messages come each second, and one that is early would be in vain."""
SILENT_PAUSE = timedelta(seconds=10)
"""How long a chain is left alone of which no node spoke."""


def sweep_chains() -> int:
    """Read on where that is due, one chain after the other, for a few seconds; says how many rounds."""
    if not settings.RPC_URLS:
        return 0
    add_readers()
    is_over, rounds = time_limit(SWEEP_SECONDS), 0
    while not is_over() and (reader := _claim()) is not None:
        _read_safely(reader)
        rounds += 1
    return rounds


def take_over_leases() -> None:
    """Make due now what another reader may have claimed. Only for one that knows itself to be alone."""
    claimed = ChainReader.objects.filter(next_attempt_at__gt=now(), next_attempt_at__lte=now() + LEASE)
    claimed.update(next_attempt_at=now())


def add_readers() -> None:
    """Begin to read every chain that has readers and that the settings name a node for."""
    network = settings.NETWORK_PROFILE
    named = [name for name in settings.RPC_URLS if is_read(name) and settings.RPC_URLS[name]]
    known = set(ChainReader.objects.filter(network=network).values_list("chain", "lane")) if named else set()
    missing = [(name, lane) for name in named for lane in lanes_of(name) if (name, lane) not in known]
    ChainReader.objects.bulk_create(
        [
            ChainReader(network=network, chain=name, lane=lane, width=WIDEST, next_attempt_at=now())
            for name, lane in missing
        ],
        ignore_conflicts=True,
    )


@transaction.atomic
def _claim() -> ChainReader | None:
    """Take what has been due longest, until the lease ends or a round does."""
    rows = ChainReader.objects.filter(network=settings.NETWORK_PROFILE, chain__in=list(settings.RPC_URLS))
    due = rows.filter(next_attempt_at__lte=now()).order_by("next_attempt_at", "pk")
    reader: ChainReader | None = due.select_for_update(skip_locked=True).first()
    if reader is not None:
        reader.attempts, reader.next_attempt_at = reader.attempts + 1, now() + LEASE
        reader.save(update_fields=["attempts", "next_attempt_at"])
    return reader


def _read_safely(reader: ChainReader) -> None:
    """One chain's silence must not hold up the others."""
    refused, began = "", now()
    try:
        _read(reader)
    except ChainUnavailable as error:
        _LOGGER.warning("reader of %s (%s) waits: %s", reader.chain, reader.lane, error)
        refused = "no node answers"
    except Exception:
        _LOGGER.exception("reader_failed: %s (%s)", reader.chain, reader.lane)
        refused = "failed, see the log"
    known = chain(reader.chain)
    half = SHORTEST_PAUSE if known is None else timedelta(milliseconds=int(known.block_seconds * 500))
    pause = min(max(half, SHORTEST_PAUSE), LONGEST_PAUSE) - EARLY
    again = now() + SILENT_PAUSE if refused else began + pause
    own_row(reader).update(next_attempt_at=again, refused=refused)


def _read(reader: ChainReader) -> None:
    """The newest blocks, and now and then those that are final. Raises: ChainUnavailable."""
    if reader.lane == Lane.ACCOUNTS:
        read_accounts(reader)
        return
    if reader.lane == Lane.BLOCKS and _goes_along(reader):
        return
    asked = Round(reader.chain, whole_blocks=reader.lane == Lane.BLOCKS)
    watch_of = partial(watch_for, reader.chain)
    if reader.read_to is None or reader.final_to is None:
        head = asked.head()
        first = _first_block(reader.chain, head)
        # Why before the first leg's block: a branch may bring its payment into an earlier one that was not final yet.
        reader.read_to = reader.final_to = max(first - max(head - asked.final_head(), 0), 0)
    points = tuple((int(number), str(text)) for number, text in reader.points)
    progress = Progress(read_to=reader.read_to, width=reader.width, points=points, final_to=reader.final_to)
    bite = asked.newest(progress, watch_of)
    _record_new(reader, bite)
    if reader.final_at is None or now() >= reader.final_at + FINAL_EVERY:
        since = Progress(read_to=reader.final_to, width=reader.width)
        _record_final(reader, asked.final(since, watch_of, bite.read_to))
        if reader.lane == Lane.LOGS:
            read_resting(reader, asked)


def _goes_along(reader: ChainReader) -> bool:
    """Whether no payment in coin is awaited; then whole blocks count as read as far as logs were, and nobody is asked.

    Why what is awaited is read last: what is paid in a block that was read was handed out before. Why no branch is
    looked for: nothing was found that could be taken back.
    """
    logs = ChainReader.objects.filter(network=reader.network, chain=reader.chain, lane=Lane.LOGS).first()
    if logs is None or logs.read_to is None or logs.refused or coins_awaited(reader.chain):
        return False
    as_far = {name: getattr(logs, name) for name in ("read_to", "final_to", "points", "head", "read_at", "final_at")}
    own_row(reader).update(**as_far)
    return True


def _first_block(place: str, head: int) -> int:
    """The block after which reading begins: the newest one, or that before the first leg that may be paid already."""
    legs = awaited_on_chains()
    begun = [
        legs.filter(chain=place, start_block__isnull=False).order_by("start_block", "pk").first(),
        legs.filter(to_chain=place, destination_start_block__isnull=False)
        .order_by("destination_start_block", "pk")
        .first(),
    ]
    starts: list[int | None] = [
        leg.start_block if leg.chain == place else leg.destination_start_block for leg in begun if leg is not None
    ]
    return max(min([head, *(start for start in starts if start is not None)]) - 1, 0)


@transaction.atomic
def _record_new(reader: ChainReader, bite: Bite) -> None:
    """Write down what a round found, and how far it came. Locks: the reader's row, then the intents that have news."""
    if not is_still_ours(reader):
        return
    if reader.read_to is not None and bite.parted_at < reader.read_to:
        _LOGGER.warning("branch: %s is another one after block %d", reader.chain, bite.parted_at)
        _forget_branch(reader, bite)
    _note(reader, bite)
    reader.read_to, reader.points, reader.width = bite.read_to, [list(point) for point in bite.points], bite.width
    reader.head, reader.read_at = bite.head, now()
    reader.save(update_fields=["read_to", "final_to", "points", "width", "head", "read_at"])


@transaction.atomic
def _record_final(reader: ChainReader, bite: Bite) -> None:
    """The second reading is the truth: what it shows is final, and what it does not show was never there.

    Locks: as ``_record_new``.
    """
    if not is_still_ours(reader):
        return
    _note(reader, bite)
    shown = {one.tx_hash for one in bite.opened}
    rows = _marked(reader, after=bite.parted_at).filter(block_number__lte=bite.read_to, final_at=None)
    found = list(rows.order_by("pk"))
    note_news([row for row in found if row.tx_hash in shown], in_turn=True, final_at=now(), gone_at=None)
    note_gone(row for row in found if row.tx_hash not in shown)
    reader.final_to, reader.final_at = max(bite.read_to, reader.final_to or 0), now()
    reader.save(update_fields=["final_to", "final_at"])


def _note(reader: ChainReader, bite: Bite) -> None:
    """Write down what a round found, and what could not be read."""
    if bite.refused:
        leave_out(reader.chain, watched_addresses(reader.chain).filter(address__among=bite.refused), "refused")
    note_found(reader, legs_of(reader.chain, bite.opened))


def _forget_branch(reader: ChainReader, bite: Bite) -> None:
    """Take back what stood in blocks that are gone. What is in the new ones too was found again, or will be."""
    again = {one.tx_hash for one in bite.opened}
    rows = _marked(reader, after=bite.parted_at).filter(gone_at=None).exclude(tx_hash__among=again)
    note_news(rows.order_by("pk"), gone_at=now())


def _marked(reader: ChainReader, *, after: int) -> QuerySet[MarkedTransaction]:
    rows: QuerySet[MarkedTransaction] = MarkedTransaction.objects.filter(
        chain=reader.chain, lane=reader.lane, block_number__gt=after
    )
    return rows
