"""Compares what callers were acknowledged and told with what the database holds."""

from dataclasses import dataclass
from typing import Any

import psycopg

from scripts.cluster.journal import CREATED, LIVE_SENT, PAID, REFUNDED, TOLD, Reading

SETTLED = "payment_intent.settled"
UNDONE = """
SELECT (SELECT count(*) FROM payments_paymentintent
        WHERE id = ANY(%(paid)s::uuid[]) AND status NOT IN ('settled', 'refunded'))
     + (SELECT count(*) FROM refunds_refund WHERE id = ANY(%(refunds)s::uuid[]) AND status <> 'paid')
     + (SELECT count(*) FROM webhooks_event WHERE fanned_out_at IS NULL)
     + (SELECT count(*) FROM webhooks_delivery WHERE outcome = 'due')
"""
FOUND = "SELECT id::text FROM payments_paymentintent WHERE id = ANY(%s::uuid[])"
REFUNDS = "SELECT id::text FROM refunds_refund WHERE id = ANY(%s::uuid[])"
TWICE = """
SELECT count(*) FROM (SELECT 1 FROM chains_simulatedtransaction GROUP BY role, tag HAVING count(*) > 1) twice
"""
EVENTS = "SELECT id FROM webhooks_event WHERE mode = 'test'"
LIVE = """
SELECT i.id::text FROM payments_paymentintent i
WHERE i.id = ANY(%s::uuid[]) AND i.status = 'settled' AND i.received_usd = i.amount AND i.overpaid_usd = 0
AND (SELECT count(*) FROM payments_credit c WHERE c.intent_id = i.id) = 1
"""


@dataclass(frozen=True, kw_only=True)
class Books:
    """How many of each, and which are missing or too many. ``repeated``: told more than once, which receivers bear."""

    acknowledged: int
    refunds: int
    live: int
    events: int
    repeated: int
    lost: int
    lost_refunds: int
    undelivered: int
    settled_twice: int
    never_settled: int
    sent_twice: int
    live_unsettled: int

    @property
    def misses(self) -> dict[str, int]:
        """What must all be nothing."""
        return {
            "acknowledged creates that are gone": self.lost,
            "acknowledged refunds that are gone": self.lost_refunds,
            "events that were never delivered": self.undelivered,
            "payments told as settled under two events": self.settled_twice,
            "payments whose settlement was never told": self.never_settled,
            "movements of money sent twice": self.sent_twice,
            "live payments in a block that did not settle once, in full": self.live_unsettled,
        }


def is_all_done(url: str, journal: Reading) -> bool:
    """Whether all that was paid is settled, all refunds are sent and all events were told."""
    journal.refresh()
    wanted = {
        "paid": [*_ids(journal, PAID), *_ids(journal, LIVE_SENT)],
        "refunds": [line["refund"] for line in journal.of(REFUNDED)],
    }
    try:
        with psycopg.connect(url, connect_timeout=5) as database:
            return database.execute(UNDONE, wanted).fetchone() == (0,)
    except psycopg.Error:
        return False


def compare(url: str, journal: Reading) -> Books:
    """Compare both."""
    journal.refresh()
    created, paid = _ids(journal, CREATED), set(_ids(journal, PAID))
    refunds, live = [line["refund"] for line in journal.of(REFUNDED)], _ids(journal, LIVE_SENT)
    told = [line["id"] for line in journal.of(TOLD)]
    settled: dict[str, set[str]] = {}
    for line in journal.of(TOLD):
        if line["type"] == SETTLED:
            settled.setdefault(line["about"], set()).add(line["id"])
    with psycopg.connect(url, connect_timeout=5) as database:
        asked = ((FOUND, created), (REFUNDS, refunds), (EVENTS, None), (LIVE, live))
        found, kept, events, settled_live = (_column(database, query, given) for query, given in asked)
        twice = database.execute(TWICE).fetchone()
    return Books(
        acknowledged=len(created),
        refunds=len(refunds),
        live=len(live),
        events=len(events),
        repeated=len(told) - len(set(told)),
        lost=len(set(created) - found),
        lost_refunds=len(set(refunds) - kept),
        undelivered=len(events - set(told)),
        settled_twice=sum(len(ids) > 1 for ids in settled.values()),
        never_settled=len(paid - settled.keys()),
        sent_twice=int(twice[0]) if twice else 0,
        live_unsettled=len(set(live) - settled_live),
    )


def _ids(journal: Reading, what: str) -> list[str]:
    return [line["id"] for line in journal.of(what)]


def _column(database: psycopg.Connection[Any], query: str, given: list[str] | None) -> set[str]:
    return {row[0] for row in database.execute(query, None if given is None else [given])}
