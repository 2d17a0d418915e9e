"""Everything that happened to one payment and around it, in one column: newest first, bounded, narrowed by kind."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import TypeVar
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.urls import NoReverseMatch

from core.clock import wire_time
from dashboard.account import requests
from dashboard.actors import actor_words
from dashboard.cards import TimelineLine
from dashboard.payments.chain_lines import credits_lines, elsewhere_lines, hints_lines, legs_lines, unattributed_lines
from dashboard.payments.steps import steps_of
from dashboard.payments.tries import Route, routes_of, tries_lines
from dashboard.payouts import story as payouts
from dashboard.refunds import story as refunds
from dashboard.visit import Visit
from payments.models import IntentTransition, PaymentIntent
from webhooks.selectors import EventDelivery, event_deliveries_of
from webhooks.states import Outcome

MOST, MOST_DELIVERIES, OPEN_TRIES = 200, 1000, 20
KINDS = {
    "payment": "Payment",
    "route": "Tries and routes",
    "chain": "Chains",
    "webhook": "Webhooks",
    "refund": "Refunds",
    "payout": "Payouts",
    "api": "API calls",
    "agent": "Agents",
}
"""What a timeline can be narrowed to, in the order of the links."""
_FOLLOWS = {"route": 1, "chain": 2, "payment": 3, "webhook": 4}
_PLACES = 20
_OUTCOMES: Mapping[str, str] = {
    Outcome.DUE: "not delivered yet",
    Outcome.DELIVERED: "delivered",
    Outcome.EXHAUSTED: "given up",
    Outcome.CANCELLED: "stopped with its endpoint",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line as the page draws it. ``attempt`` is the try whose routes belong under it."""

    line: TimelineLine
    by: str
    attempt: UUID | None = None
    routes: Sequence[Route] = ()


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The lines of a page, where older ones are, and the kinds it can be narrowed to."""

    entries: Sequence[Entry]
    kinds: Sequence[tuple[str, str, str, bool]]
    is_whole: bool = True
    older: str = ""
    is_older_page: bool = False


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which part of the timeline an address asks for; what makes no sense asks for nothing special."""

    kind: str = ""
    before: datetime | None = None

    def query(self, **changed: str) -> str:
        """The end of an address that asks for the same, but for what is changed."""
        now = {"kind": self.kind, "before": wire_time(self.before) if self.before else ""} | changed
        return urlencode({name: text for name, text in now.items() if text})


def asked_by(query: QueryDict) -> Asked:
    """What the address asks for."""
    kind, text = query.get("kind", ""), query.get("before", "")
    try:
        before = datetime.fromisoformat(text).astimezone(UTC) if text else None
    except (ValueError, OverflowError):
        before = None
    return Asked(kind=kind if kind in KINDS else "", before=before)


Row = TypeVar("Row")
_Line = tuple[TimelineLine, UUID | None]
"""A line, and the try whose routes belong under it."""


def timeline_of(visit: Visit, intent: PaymentIntent, history: Iterable[IntentTransition], asked: Asked) -> Timeline:
    """The part that is asked for.

    The intent comes with its newest tries, transactions and credits already read. Routes are told where one asks for
    tries alone. Why: they are many, and the page has a bound of queries.
    """
    wanted = [
        shown
        for shown in _gather(visit, intent, history, asked)
        if asked.kind in {"", shown[0].kind} and (asked.before is None or shown[0].at < asked.before)
    ]
    # By the moment; where one moment held both, by what follows from what.
    wanted.sort(key=lambda one: (one[0].at, _FOLLOWS.get(one[0].kind, 0)), reverse=True)
    shown = _cut(wanted)
    attempts = [attempt for _, attempt in shown if attempt]
    routes = routes_of(attempts[:OPEN_TRIES]) if attempts and asked.kind == "route" else {}
    names = actor_words(visit, {line.by for line, _ in shown})
    return Timeline(
        entries=[
            Entry(
                line=line, by=names.get(line.by, line.by), attempt=tried, routes=routes.get(tried, ()) if tried else ()
            )
            for line, tried in shown
        ],
        kinds=[(kind, label, asked.query(kind=kind, before=""), kind == asked.kind) for kind, label in KINDS.items()],
        is_whole=not asked.kind,
        older=asked.query(before=wire_time(shown[-1][0].at)) if len(shown) < len(wanted) else "",
        is_older_page=asked.before is not None,
    )


def history_of(intent: PaymentIntent, before: datetime | None = None) -> Sequence[IntentTransition]:
    """The newest steps of the history, before a moment where one is given: more than a page has."""
    history = intent.history.order_by("-pk")
    return list((history if before is None else history.filter(created_at__lt=before))[: 2 * MOST])


def _gather(visit: Visit, intent: PaymentIntent, history: Iterable[IntentTransition], asked: Asked) -> Iterator[_Line]:
    mine: list[_Line] = list(tries_lines(oldest_first(intent.payment_attempts.all())))
    deliveries = (
        event_deliveries_of(visit.principal, intent.pk, MOST_DELIVERIES, asked.before)
        if asked.kind in {"", "webhook"}
        else []
    )
    alone = chain(
        credits_lines(intent, oldest_first(intent.credits.all())),
        legs_lines(oldest_first(intent.legs.all())),
        # Nothing else of the page needs these, so they are read where they are shown alone.
        chain(hints_lines(intent.legs.all()), unattributed_lines(intent), elsewhere_lines(intent))
        if asked.kind in {"", "chain"}
        else (),
        steps_of(oldest_first(history)),
        _webhook_lines(visit, oldest_first(deliveries)),
    )
    mine += ((line, None) for line in alone)
    yield from reversed(mine)
    beside = (one.story_of_payment(visit, intent.pk) for one in (requests, refunds, payouts))
    yield from ((line, None) for line in chain.from_iterable(beside))


def oldest_first(newest_first: Iterable[Row]) -> list[Row]:
    """The other way round. Why: of what happened in one moment, what is told later stands above."""
    return list(newest_first)[::-1]


def _cut(lines: list[_Line]) -> list[_Line]:
    """The newest lines. Why some more: those of the last moment stay together, since the next page begins below it."""
    if len(lines) <= MOST:
        return lines
    last = lines[MOST - 1][0].at
    return [line for line in lines if line[0].at >= last]


def _webhook_lines(visit: Visit, deliveries: Sequence[EventDelivery]) -> Iterator[TimelineLine]:
    """A line per event, however many places it went to."""
    events: dict[str, list[EventDelivery]] = defaultdict(list)
    for one in deliveries:
        events[one.event_id].append(one)
    for event_id, places in events.items():
        sent = [place for place in places if place.url]
        words, tone = _outcome(sent)
        lines = []
        for place in sent[:_PLACES]:
            times = "1 attempt" if place.attempts == 1 else f"{place.attempts} attempts"
            lines.append((place.url or "", f"{_OUTCOMES.get(place.outcome or '', '')}, {times}"))
        yield TimelineLine(
            at=places[0].occurred_at,
            kind="webhook",
            what=f"Event {places[0].type}",
            why=words,
            url=page_url(visit, "event", event_id=UUID(event_id.removeprefix("evt_"))),
            tone=tone,
            facts=(("Event", event_id), *lines),
        )


def _outcome(sent: Sequence[EventDelivery]) -> tuple[str, str]:
    """How far it was delivered, in words, and the tone."""
    if not sent:
        return "It went to no endpoint", ""
    delivered = sum(place.outcome == Outcome.DELIVERED for place in sent)
    failed = sum(place.outcome in {Outcome.EXHAUSTED, Outcome.CANCELLED} for place in sent)
    if delivered == len(sent):
        return ("Delivered" if len(sent) == 1 else f"Delivered to all {len(sent)} endpoints"), ""
    if failed:
        return ("Not delivered" if len(sent) == 1 else f"Not delivered to {failed} of {len(sent)} endpoints"), "bad"
    return f"Delivered to {delivered} of {len(sent)} so far; it is tried again", "warn"


def page_url(visit: Visit, name: str, **place: object) -> str:
    """The address of a page that another app may have; empty where it has none."""
    try:
        return visit.url(name, **place)
    except NoReverseMatch:
        return ""
