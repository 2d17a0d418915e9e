"""What an explanation is made of: lines of fixed words, and facts that are never somebody's text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

Fact = str | int
"""A code, a number, a figure as a decimal string, a moment, a hash, or an address of an explorer."""


class Actor(StrEnum):
    """Who must act next."""

    PAYER = "payer"
    MERCHANT = "merchant"
    SERVICE = "service"
    NOBODY = "nobody"

    @property
    def label(self) -> str:
        """As a page names it."""
        return _LABELS[self]


_LABELS = {
    Actor.PAYER: "The payer",
    Actor.MERCHANT: "You",
    Actor.SERVICE: "We",
    Actor.NOBODY: "Nobody",
}


@dataclass(frozen=True, kw_only=True)
class Words:
    """One situation in one voice: three sentences, always all of them."""

    happened: str
    money: str
    next: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """One situation as the merchant is told of it.

    ``because`` adds one sentence where more is known, else it is empty. ``tone`` is that of a pill: ok, warn, bad or
    none. ``facts`` hold what the sentences speak of.
    """

    code: str
    happened: str
    money: str
    next: str
    actor: Actor
    because: str = ""
    tone: str = ""
    since: datetime | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The diagnosis of one intent.

    ``situation`` is the intent's own, the code on the payer's page. ``lead`` is the line that most needs acting on: a
    refund that waits for its address comes before a paid intent. ``also`` are the others.
    """

    situation: str
    lead: Line
    also: tuple[Line, ...]
    payer: Words

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line, the leading one first."""
        return (self.lead, *self.also)

    @property
    def code(self) -> str:
        """The leading line's code."""
        return self.lead.code

    @property
    def happened(self) -> str:
        """What happened."""
        return self.lead.happened

    @property
    def because(self) -> str:
        """One more sentence on it, or nothing."""
        return self.lead.because

    @property
    def money(self) -> str:
        """Where the money is."""
        return self.lead.money

    @property
    def next(self) -> str:
        """The next safe step."""
        return self.lead.next

    @property
    def actor(self) -> Actor:
        """Who must act."""
        return self.lead.actor

    @property
    def tone(self) -> str:
        """How grave it is."""
        return self.lead.tone

    @property
    def since(self) -> datetime | None:
        """Since when it is so."""
        return self.lead.since

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What the leading line speaks of."""
        return self.lead.facts
