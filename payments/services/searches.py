"""The second, slow way: a leg is searched for by itself once its time is over, and again until a day later.

A reader that passes over a payment passes over it for everybody, and nobody would know. What is found here and was
passed over is an alarm first; then it is counted like anything else. Source: docs/live.md, When a leg is searched for.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, Window
from django.db.models.functions import RowNumber

from chains.clients.allowance import BudgetSpent, asking_for
from chains.clients.base import LegView
from chains.clients.registry import client_for
from chains.errors import ChainUnavailable
from chains.registry import EVM_NATIVE_ADDRESS
from core.clock import now
from core.leases import take_due, time_limit
from core.sweeps import Claim, Sweep
from payments.models import Leg, MarkedTransaction, PaymentIntent
from payments.services.budgets import IntentPurse
from payments.services.follow import record_sightings
from payments.services.marks import heights
from payments.services.watch import look_at_legs

logger = logging.getLogger("causeway.payments")
SWEEP_SECONDS = 5
"""Of each half minute: of few payments all are searched for, of many a part."""
BATCH = 20
AFTER_THE_END = timedelta(minutes=2)
AGAIN_AFTER = timedelta(days=1)
LEFT_OUT_AFTER = timedelta(hours=2)
"""What is due for longer is left out: there is more than there is time for. So is what fails for that long."""
MOST_LEFT_OUT = 1_000
"""At once."""
NEAR = 200
"""Blocks to the newest: a search that came so near has come to its end."""


def first_search(intent: PaymentIntent) -> datetime:
    """When a leg that is handed out now is searched for by itself."""
    return intent.expires_at + AFTER_THE_END


def sweep_searches(seconds: int = SWEEP_SECONDS) -> int:
    """Search for the legs that are due, for about so many seconds; returns how many searches."""
    waiting = Leg.objects.filter(search_at__isnull=False)
    is_late = Q(search_at__lt=now() - LEFT_OUT_AFTER) | Q(
        intent__expires_at__lt=now() - AGAIN_AFTER - 2 * LEFT_OUT_AFTER
    )
    late = waiting.filter(is_late).order_by("search_at", "pk").values_list("pk", flat=True)[:MOST_LEFT_OUT]
    left_out = waiting.filter(pk__among=list(late)).update(search_at=None)
    if left_out:
        logger.warning("searches_left_out: no time to search for %d legs by themselves", left_out)
    return SWEEP.run(time_limit(seconds))


def _take(until: datetime) -> list[UUID]:
    """Each merchant's first one, then each one's second. Why not by time alone: one merchant may have very many."""
    of_merchant = Window(RowNumber(), partition_by="merchant_id", order_by=["search_at", "pk"])
    due = Leg.objects.filter(search_at__lte=now()).annotate(turn=of_merchant).order_by("turn", "search_at", "pk")
    in_turn = list(due.values_list("pk", flat=True)[:BATCH])
    return take_due(Leg.objects.filter(pk__among=in_turn), most=BATCH, until=until, column="search_at")


def _search(claim: Claim[UUID]) -> None:
    try:
        search(claim.key)
    except (BudgetSpent, ChainUnavailable) as error:
        logger.info("leg %s is searched for later: %s", claim.key, error)


SWEEP = Sweep[UUID](model=Leg, take=_take, advance=_search, lease=timedelta(minutes=5), column="search_at")


def search(leg_id: UUID) -> None:
    """Look once for what carries a leg's mark, from where its last search ended, and say when it goes on.

    Raises: BudgetSpent, ChainUnavailable.
    """
    leg = Leg.objects.select_related("intent").get(pk=leg_id)
    intent, purse, read = leg.intent, IntentPurse(), heights(leg.intent)
    purse.pay_for(intent)
    with asking_for(purse):
        seen = look_at_legs(intent, [leg], client_for(intent.mode), {}).get(leg_id)
    if seen is None or seen.view.unsaid:
        return  # nobody could say anything, or not of a part; its lease brings it back
    # What brought the leg's money in a block that its chain's readers have read, and they did not find.
    passed = {one.tx_hash for one in seen.view.transfers if one.block_number <= read.get(one.chain, -1)}
    found = MarkedTransaction.objects.filter(leg=leg, tx_hash__among=passed, gone_at=None)
    if missed := passed.difference(found.values_list("tx_hash", flat=True)):
        for tx_hash in sorted(missed):
            logger.error("reader_missed: %s pays leg %s of %s, and no reader found it", tx_hash, leg.pk, intent.pk)
        record_sightings(intent.pk, {leg.pk: seen}, is_last=True)
    # Why not beyond the readers: what they have yet to find nobody would look for, where they leave its address.
    scanned = _least(seen.view.scanned_to, read.get(leg.chain))
    there = _least(seen.view.destination_scanned_to, read.get(leg.to_chain))
    Leg.objects.filter(pk=leg.pk).update(
        scanned_block=leg.scanned_block if scanned is None else scanned,
        destination_scanned_block=leg.destination_scanned_block if there is None else there,
        search_at=_next_search(leg, seen.view, read),
    )


def _next_search(leg: Leg, view: LegView, read: Mapping[str, int]) -> datetime | None:
    """Soon where blocks are left, else a day after the first search, once.

    Why never again for a chain's own coin: it leaves no log, and a day of whole blocks is too much to ask for each leg.
    """
    is_left = _is_left(leg.scanned_block, view.scanned_to, read.get(leg.chain))
    if is_left or _is_left(leg.destination_scanned_block, view.destination_scanned_to, read.get(leg.to_chain)):
        return now()
    is_coin, again = leg.intent.settlement_token_address == EVM_NATIVE_ADDRESS, first_search(leg.intent) + AGAIN_AFTER
    return again if now() < again and not is_coin else None


def _least(scanned_to: int | None, read_to: int | None) -> int | None:
    """How far both came; None where one of them did not go."""
    return None if scanned_to is None or read_to is None else min(scanned_to, read_to)


def _is_left(before: int | None, scanned_to: int | None, newest: int | None) -> bool:
    """Whether a search went on, and blocks are left."""
    if scanned_to is None or newest is None or (before is not None and scanned_to <= before):
        return False
    return scanned_to < newest - NEAR
