"""Compares what callers were acknowledged and told with what the database holds."""

from dataclasses import dataclass
from typing import Any

import psycopg

from scripts.cluster.journal import CREATED, LIVE_SENT, PAID, REFUNDED, TOLD, Lines, Reading
from scripts.cluster.load import DESTINATION

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
MOVED = "SELECT count(*) FROM chains_simulatedtransaction WHERE recipient = %s"
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
    never_sent: int
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
            "refunds whose money was never sent": self.never_sent,
            "live payments in a block that did not settle once, in full": self.live_unsettled,
        }


def is_all_done(url: str, journal: Reading) -> bool:
    """Whether all that was paid is settled, all refunds are sent and all events were told."""
    journal.refresh()
    try:
        with psycopg.connect(url, connect_timeout=5) as database:
            return count_undone(database, journal) == 0
    except psycopg.Error:
        return False


def count_undone(database: psycopg.Connection[Any], journal: Reading) -> int:
    """How many payments, refunds, events and deliveries are still under way."""
    wanted = {"paid": [*_ids(journal, PAID), *_ids(journal, LIVE_SENT)], "refunds": _refunds(journal)}
    return sum(row[0] for row in database.execute(UNDONE, wanted))


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What the database holds of what the journal names. ``moved``: transactions to where all refunds go."""

    intents: set[str]
    refunds: set[str]
    events: set[str]
    settled_live: set[str]
    moved: int
    sent_twice: int


def compare(url: str, journal: Reading) -> Books:
    """Compare both."""
    journal.refresh()
    with psycopg.connect(url, connect_timeout=5) as database:
        return judge(journal, rows_of(database, journal))


def rows_of(database: psycopg.Connection[Any], journal: Reading) -> Rows:
    """Read what the database holds."""
    return Rows(
        intents=_column(database, FOUND, [_ids(journal, CREATED)]),
        refunds=_column(database, REFUNDS, [_refunds(journal)]),
        events=_column(database, EVENTS, []),
        settled_live=_column(database, LIVE, [_ids(journal, LIVE_SENT)]),
        moved=_count(database, MOVED, [DESTINATION]),
        sent_twice=_count(database, TWICE, []),
    )


def judge(journal: Lines, rows: Rows) -> Books:
    """What is missing or too many, by what callers were acknowledged and told and by what is kept."""
    created, refunds, live = set(_ids(journal, CREATED)), set(_refunds(journal)), set(_ids(journal, LIVE_SENT))
    told = _ids(journal, TOLD)
    settled: dict[str, set[str]] = {}
    for line in journal.of(TOLD):
        if line["type"] == SETTLED:
            settled.setdefault(line["about"], set()).add(line["id"])
    return Books(
        acknowledged=len(created),
        refunds=len(refunds),
        live=len(live),
        events=len(rows.events),
        repeated=len(told) - len(set(told)),
        lost=len(created - rows.intents),
        lost_refunds=len(refunds - rows.refunds),
        undelivered=len(rows.events - set(told)),
        settled_twice=sum(len(ids) > 1 for ids in settled.values()),
        never_settled=len(set(_ids(journal, PAID)) - settled.keys()),
        sent_twice=rows.sent_twice + max(0, rows.moved - len(refunds)),
        never_sent=max(0, len(refunds) - rows.moved),
        live_unsettled=len(live - rows.settled_live),
    )


def count_lost(url: str, journal: Reading) -> int:
    """How many of the creates that were acknowledged so far are gone."""
    created = _ids(journal, CREATED)
    with psycopg.connect(url, connect_timeout=5) as database:
        return len(set(created) - _column(database, FOUND, [created]))


def _refunds(journal: Lines) -> list[str]:
    return [line["refund"] for line in journal.of(REFUNDED)]


def _ids(journal: Lines, what: str) -> list[str]:
    return [line["id"] for line in journal.of(what)]


def _column(database: psycopg.Connection[Any], query: str, given: list[Any]) -> set[str]:
    return {row[0] for row in database.execute(query, given or None)}


def _count(database: psycopg.Connection[Any], query: str, given: list[Any]) -> int:
    return sum(row[0] for row in database.execute(query, given or None))
