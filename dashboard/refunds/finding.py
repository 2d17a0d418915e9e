"""What refunds add to the rest of the dashboard: what waits for a person, what the search finds, a button."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import CHAINS
from core.clock import now
from core.ids import parse_public_id
from dashboard.cards import PaymentAction, SearchResult, Task
from dashboard.refunds.filters import ADDRESS, FOR_WALLET, SIGNATURE
from dashboard.refunds.pages import refund_line
from dashboard.visit import Visit
from merchants.acts import Act
from refunds.models import Refund
from refunds.states import ADDRESSED, DESTINATION_UNCONFIRMED, R

RECENT: Final = timedelta(days=30)
MOST_HITS, LONGEST_TEXT = 5, 128


def refunds_in_need(visit: Visit) -> Iterator[Task]:
    """Missing addresses, awaited signatures, and what failed in the last 30 days."""
    mine, url = Refund.objects.visible_to(visit.principal), visit.url("refunds")
    failed = mine.filter(status=R.FAILED, updated_at__gte=now() - RECENT)
    yield Task(count=mine.filter(status=R.WAITING), words="Refunds need an address.", url=f"{url}?waits={ADDRESS}")
    yield Task(
        count=mine.filter(FOR_WALLET), words="Refunds await your wallet’s signature.", url=f"{url}?waits={SIGNATURE}"
    )
    unconfirmed = mine.filter(status__in=ADDRESSED, failure_reason=DESTINATION_UNCONFIRMED)
    words = "Refunds by key to new addresses wait for somebody’s word."
    yield Task(count=unconfirmed, words=words, url=f"{url}?status={R.QUEUED.value}", tone="bad")
    yield Task(
        count=failed, words="Refunds failed in the last 30 days.", url=f"{url}?status={R.FAILED.value}", tone="bad"
    )


def find_refunds(visit: Visit, text: str) -> Iterator[SearchResult]:
    """The refunds with this id, this transaction, or this address to which they go."""
    if not text or len(text) > LONGEST_TEXT or "\x00" in text:
        return
    mine = Refund.objects.visible_to(visit.principal).select_related("transfer")
    parts = (part.order_by("-created_at", "-pk")[:MOST_HITS] for part in _ways(mine, text))
    found = {refund.pk: refund for part in parts for refund in part}
    for line in map(refund_line, list(found.values())[:MOST_HITS]):
        yield SearchResult(
            kind="Refund",
            title=f"Refund of {line.amount}",
            detail=f"{line.status} · {line.chain_name}",
            url=visit.url("refund", refund_id=line.refund.pk),
        )


def refund_button(visit: Visit, intent_id: UUID) -> Iterator[PaymentAction]:
    """The way from a payment to its refund. Why always: the page says in words where nothing can be sent back."""
    if visit.may(Act.MOVE_MONEY):
        yield PaymentAction(label="Refund", url=visit.url("new_refund", intent_id=intent_id), rank=30)


def _ways(mine: "QuerySet[Refund]", text: str) -> Iterator["QuerySet[Refund]"]:
    """Each question apart, by an index of its own."""
    if refund_id := parse_public_id(text):
        yield mine.filter(pk=refund_id)
        return
    yield mine.filter(~Q(tx_hash=""), tx_hash__in={text, text.lower()})
    yield mine.filter(~Q(destination=""), destination__in=_spellings(text))


def _spellings(text: str) -> set[str]:
    """How an address may be stored."""
    found = {text}
    for known in {one.family: one for one in CHAINS}.values():
        try:
            found.add(parse_address(known, text))
        except InvalidAddress:
            continue
    return found
