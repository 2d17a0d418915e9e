"""What readers of either family write down: which leg's mark was found where; and who is woken by it.

Locks, in each: the reader's row, by which two workers never write, then the intents that have news.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import OperationalError, transaction
from django.db.models import QuerySet

from chains.models import ChainReader, WatchedAddress
from chains.reader.base import Opened
from core.clock import now
from payments.models import Leg, MarkedTransaction, PaymentIntent
from payments.services.marks import awaited_on_chains
from payments.services.queue import look_by
from payments.services.schedule import wake_worker

_LOGGER = logging.getLogger("causeway.payments")
LEFT_OUT_FOR = timedelta(minutes=5)
"""How long an address is left out of which no node tells all."""
LOOKS_A_SECOND = 10
"""Why so few: chains call many blocks final at once, and what is new must not wait behind all that is in them."""


def own_row(reader: ChainReader) -> QuerySet[ChainReader]:
    """A reader's row, as long as nobody claimed it since."""
    rows: QuerySet[ChainReader] = ChainReader.objects.filter(pk=reader.pk, attempts=reader.attempts)
    return rows


def is_still_ours(reader: ChainReader) -> bool:
    """Whether nobody else claimed it meanwhile. Locks: the row."""
    return own_row(reader).select_for_update().exists()


def note_found(reader: ChainReader, opened: Iterable[tuple[Leg, Opened]]) -> None:
    """Write down where legs' marks were found, once a leg and transaction; what is new or moved is news."""
    found = {(leg.pk, one.tx_hash): (leg, one) for leg, one in opened}
    if not found:
        return
    rows = MarkedTransaction.objects.filter(
        chain=reader.chain, leg__among={leg_id for leg_id, _ in found}, tx_hash__among={tx_hash for _, tx_hash in found}
    ).order_by("pk")
    known = set(rows.values_list("leg_id", "tx_hash"))
    # Why in order: the other reader of the chain may write some of the same at this moment.
    new = [_row_of(reader, *found[key]) for key in sorted(found) if key not in known]
    MarkedTransaction.objects.bulk_create(new, ignore_conflicts=True)
    news = []
    for row in rows:
        if (row.leg_id, row.tx_hash) not in found:
            continue
        _, one = found[row.leg_id, row.tx_hash]
        is_moved = (row.block_number, row.block_hash) != (one.block_number, one.block_hash)
        if is_moved:
            row.block_number, row.block_hash = one.block_number, one.block_hash
            row.save(update_fields=["block_number", "block_hash"])
        if is_moved or row.gone_at is not None or (row.leg_id, row.tx_hash) not in known:
            news.append(row)
    note_news(news, gone_at=None)


def _row_of(reader: ChainReader, leg: Leg, one: Opened) -> MarkedTransaction:
    return MarkedTransaction(
        leg=leg,
        intent_id=leg.intent_id,
        chain=reader.chain,
        lane=reader.lane,
        tx_hash=one.tx_hash,
        block_number=one.block_number,
        block_hash=one.block_hash,
    )


def note_news(rows: Iterable[MarkedTransaction], *, in_turn: bool = False, **facts: datetime | None) -> None:
    """There is news of these: their legs are looked at now, or ``in_turn`` a few each second.

    Locks: their intents that nobody holds; the others' are asked for when all is written down.
    """
    found = list(rows)
    if not found:
        return
    MarkedTransaction.objects.filter(pk__among=[row.pk for row in found]).update(news_at=now(), **facts)
    intents = sorted({row.intent_id for row in found})
    if in_turn:
        wake_in_turns(intents)
    else:
        wake_now(intents)


def note_gone(rows: Iterable[MarkedTransaction]) -> None:
    """The second reading does not show these: they were never there, and a person is told of what stood."""
    lost = list(rows)
    for row in lost:
        if row.gone_at is None:
            _LOGGER.error("reading_differs: %s of %s is in no final block", row.tx_hash, row.chain)
    note_news(lost, gone_at=now())


def leave_out(place: str, rows: Iterable[WatchedAddress], reason: str) -> None:
    """Leave addresses of a chain alone for a while. What is to be paid there is searched for meanwhile, from now on.

    Locks: the intents that nobody holds.
    """
    left = list(rows)
    addresses = {row.address for row in left}
    for address in sorted(addresses):
        _LOGGER.error("address_unreadable: no node tells all of %s on %s: %s", address, place, reason)
    WatchedAddress.objects.filter(pk__among=[row.pk for row in left]).update(left_out_until=now() + LEFT_OUT_FOR)
    legs = awaited_on_chains().filter(to_chain=place, intent__settlement_address__among=addresses)
    wake_in_turns(sorted(set(legs.values_list("intent_id", flat=True))))


def wake_now(intents: Sequence[UUID]) -> None:
    """Let these be due now. Locks: those that nobody holds; the others' are asked for after the commit."""
    _wake(intents, now())
    wake_worker()


def wake_in_turns(intents: Sequence[UUID]) -> None:
    """Let these be due, a few each second. Locks: as ``wake_now``."""
    for turn, start in enumerate(range(0, len(intents), LOOKS_A_SECOND)):
        _wake(intents[start : start + LOOKS_A_SECOND], now() + timedelta(seconds=turn))
    wake_worker()


@transaction.atomic(savepoint=False)
def _wake(intents: Sequence[UUID], due: datetime) -> None:
    """Why those that a worker holds come after the commit: one payment must not hold up its chain."""
    free = _locked(intents, skip_locked=True)
    look_by(free, due)
    held = set(intents) - set(free)
    if held:
        transaction.on_commit(partial(_wake_held, held, due))


def _wake_held(intents: set[UUID], due: datetime) -> None:
    """Wait for who holds them, as long as for any lock. Why no longer: who held them then looks for news himself."""
    try:
        with transaction.atomic():
            look_by(_locked(intents), due)
    except OperationalError:
        _LOGGER.warning("%d payments are held for long: the reader's news waits for who holds them", len(intents))
    wake_worker()


def _locked(intents: Collection[UUID], *, skip_locked: bool = False) -> dict[UUID, str]:
    """The status of each of these that is held from here on, by its key."""
    rows = PaymentIntent.objects.filter(pk__in=list(intents)).order_by("pk")
    return dict(rows.select_for_update(skip_locked=skip_locked, no_key=True).values_list("pk", "status"))
