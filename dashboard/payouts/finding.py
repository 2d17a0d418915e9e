"""Payouts in the search box and among what waits for a person."""

from collections.abc import Iterator

from chains.models import Transfer, TransferAttempt
from core.ids import parse_public_id
from dashboard.cards import SearchResult, Task
from dashboard.payouts.lines import payout_line
from dashboard.visit import Visit
from payouts.models import Payout
from payouts.services import PURPOSE
from payouts.states import PayoutStatus

MOST_HITS, LONGEST_HASH = 5, 128


def payouts_in_need(visit: Visit) -> Iterator[Task]:
    """Payouts that failed, and those that are paused."""
    mine, url = Payout.objects.visible_to(visit.principal), visit.url("payouts")
    failed, paused = mine.filter(status=PayoutStatus.FAILED), mine.filter(status=PayoutStatus.PAUSED)
    yield Task(count=failed, words="Payouts failed. Replay them.", url=f"{url}?status=failed", tone="bad")
    yield Task(count=paused, words="Payouts are paused.", url=f"{url}?status=paused")


def find_payouts(visit: Visit, text: str) -> Iterator[SearchResult]:
    """The payouts with this id, or of which a transaction has this hash.

    Why by transfers: they have the index. A payout on the rail ``direct`` is found by the payment whose hash it shows.
    """
    if not text or len(text) > LONGEST_HASH or "\x00" in text:
        return
    known = parse_public_id(text)
    seen = Transfer.objects.filter(tx_hash=text, purpose=PURPOSE).values_list("purpose_id", flat=True)
    attempts = TransferAttempt.objects.filter(tx_hash=text, transfer__purpose=PURPOSE)
    signed = attempts.values_list("transfer__purpose_id", flat=True)
    keys = [*([known] if known else []), *seen[:MOST_HITS], *signed[:MOST_HITS]]
    for line in map(payout_line, Payout.objects.visible_to(visit.principal).filter(pk__in=keys)[:MOST_HITS]):
        yield SearchResult(
            kind="Payout",
            title=f"Payout of {line.amount}",
            detail=f"{line.status} · {line.chain_name}",
            url=visit.url("payout", payout_id=line.payout.pk),
        )
