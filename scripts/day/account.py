"""What became of the payments of a stretch of time: by what callers and the receiver wrote down, and by the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import psycopg

from scripts.cluster.books import FOUND, SETTLED, TWICE, Rows, judge
from scripts.cluster.journal import ASKED, CREATED, FORGED, PAID, TOLD, Lines

EVENTS = "SELECT id, type, resource_id::text, occurred_at FROM webhooks_event WHERE resource_id = ANY(%s::uuid[])"


@dataclass(frozen=True, kw_only=True)
class Account:
    """How many were asked for, what is lost and double by its name, and how long each took, in seconds."""

    asked: int
    lost: Mapping[str, int] = field(default_factory=dict)
    double: Mapping[str, int] = field(default_factory=dict)
    settled: Sequence[float] = ()
    told: Sequence[float] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is lost, or still under way."""
        return not any(self.lost.values())


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What the database holds of some payments. ``settled``: when each did, by the event that says so."""

    intents: set[str]
    events: set[str]
    settled: Mapping[str, float]
    sent_twice: int = 0


def of_window(journal: Lines, since: float, until: float) -> Lines:
    """The lines about payments that were asked for first between two moments, whenever they were written."""
    names = {line["name"] for line in journal.of(ASKED, since=since, until=until)}
    ids = {line["id"] for line in journal.of(CREATED) if line["name"] in names}
    about = (line for line in journal.lines if line.get("name") in names or line.get("about") in ids)
    forged = journal.of(FORGED, since=since, until=until)
    return Lines([*about, *forged])


def kept(url: str, lines: Lines) -> Kept:
    """Read what is kept of these payments. Raises: psycopg.Error."""
    ids = [line["id"] for line in lines.of(CREATED)]
    with psycopg.connect(url, connect_timeout=5) as database:
        intents = {row[0] for row in database.execute(FOUND, [ids])}
        events: list[Any] = database.execute(EVENTS, [ids]).fetchall()
        [twice] = database.execute(TWICE).fetchone() or (0,)
    settled = {about: at.timestamp() for _, kind, about, at in events if kind == SETTLED}
    return Kept(intents=intents, events={one[0] for one in events}, settled=settled, sent_twice=int(twice))


def account(lines: Lines, rows: Kept) -> Account:
    """Compare both."""
    books = judge(
        lines,
        Rows(intents=rows.intents, refunds=set(), events=rows.events, settled_live=set(), moved=0,
             sent_twice=rows.sent_twice),
    )  # fmt: skip
    asked, created, paid = ({line["name"] for line in lines.of(what)} for what in (ASKED, CREATED, PAID))
    told = {line["about"]: line["at"] for line in lines.of(TOLD) if line["type"] == SETTLED}
    paid_at = {line["id"]: line["at"] for line in lines.of(PAID)}
    return Account(
        asked=len(asked),
        lost={
            "payments that nobody acknowledged": len(asked - created) + len(created - paid),
            "acknowledged payments that are gone": books.lost,
            "payments whose settlement was never booked": books.never_settled,
            "events that were never booked": books.undelivered,
            "posts whose signature is wrong": sum(1 for _ in lines.of(FORGED)),
        },
        double={
            "events that were booked twice": books.repeated,
            "payments booked as settled under two events": books.settled_twice,
            "movements of money sent twice": books.sent_twice,
        },
        settled=[at - paid_at[one] for one, at in rows.settled.items() if one in paid_at],
        told=[told[one] - at for one, at in rows.settled.items() if one in told],
    )


def spread(seconds: Sequence[float]) -> str:
    """The median and the longest, for a table."""
    return f"{median(seconds):.1f} / {max(seconds):.1f}" if seconds else "–"
