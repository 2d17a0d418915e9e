"""What every subject puts on the pages that belong to all: home, the search, the settings, a payment's page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from core.modes import Mode
from dashboard.visit import Visit


@dataclass(frozen=True, kw_only=True)
class Card:
    """A card on the home page or the settings page. What it changes, it changes on pages of its own."""

    template: str
    context: Callable[[Visit], Mapping[str, object]]

    def drawn(self, visit: Visit) -> dict[str, object]:
        """What the page that shows it hands to its template."""
        return {"template": self.template, **self.context(visit)}


@dataclass(frozen=True, kw_only=True)
class Task:
    """Something that waits for a person; ``url`` leads to where it is done. ``tone``: warn or bad.

    ``count``: how many, or better the rows themselves: those of all subjects are counted in one query.
    """

    count: "int | QuerySet[Any]"
    words: str
    url: str
    tone: str = "warn"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that a newcomer does, ticked by what really happened.

    ``done``: whether, or better the rows that show it: those of all steps are looked for in one query.
    ``url`` leads to where it is done. ``template``, if any, is drawn below the words of the step that is next.
    """

    title: str
    text: str
    done: "Callable[[Visit], bool | QuerySet[Any]]"
    url: Callable[[Visit], str]
    template: str = ""
    modes: frozenset[Mode] = frozenset(Mode)


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """One thing that the search found: what it is, which one, and the page it has."""

    kind: str
    title: str
    detail: str
    url: str


@dataclass(frozen=True, kw_only=True)
class TimelineLine:
    """One thing that happened around a payment.

    ``kind`` is one of the words that the timeline can be narrowed to: payment, route, chain, refund, payout, webhook,
    api, agent. ``by`` is an actor as histories write it. ``facts`` are names and values, shown when it is opened.
    """

    at: datetime
    kind: str
    what: str
    why: str = ""
    by: str = ""
    url: str = ""
    tone: str = ""
    facts: tuple[tuple[str, str], ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class PaymentAction:
    """Something that this visitor can do with a payment: a button on its page. ``weight``: main, danger or none."""

    label: str
    url: str
    weight: str = ""
    rank: int = 50
