"""What apps put on the dashboard: pages, cards on the home page, search, and lines of a payment's story.

Registries alone: an app's ``dashboard`` fills them while Django starts, ``dashboard.site`` draws what stands in them.
Why here: what is above cannot be imported from below, yet must be shown on pages that belong below.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponseBase

from core.modes import Mode
from merchants.acts import Act, may
from merchants.models import Merchant, Role, User
from merchants.principal import Principal


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A member looking at one merchant's dashboard in one mode."""

    person: User
    merchant: Merchant
    role: Role
    principal: Principal
    asked: Mapping[str, str] = field(default_factory=dict)
    """What the address asks for behind its question mark, as it came."""

    @property
    def mode(self) -> Mode:
        """The world that is looked at."""
        return self.principal.mode

    def may(self, act: Act) -> bool:
        """Whether the person's role allows it."""
        return may(self.role, act)


class Section(Enum):
    """The parts of the menu, in their order."""

    MONEY = ""
    DEVELOPERS = "Developers"
    AGENTS = "Agents"
    BUSINESS = "Business"


class Menu(NamedTuple):
    """Where a page stands in the menu: its label, the section, and lower ranks first."""

    label: str
    section: Section = Section.MONEY
    rank: int = 50


@dataclass(frozen=True, kw_only=True)
class Page:
    """An address below the mode, in the menu where it says so.

    ``act``: what the visitor's role must allow; None is for every member. The site asks for it, and for a fresh proof
    of identity where the act wants one, before the view is called. ``fresh=False``: no proof here, because the page
    asked whose script it is.
    """

    path: str
    name: str
    view: Callable[..., HttpResponseBase]
    menu: Menu | None = None
    act: Act | None = None
    fresh: bool = True


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A card on the home page, and the pages that belong to it. Lower positions come first.

    Without a ``template`` it has pages only.
    """

    position: int
    template: str = ""
    context: Callable[[Visit], Mapping[str, object]] = field(default=lambda visit: {})
    pages: tuple[Page, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Need:
    """Something that waits for a person; ``url`` leads to where it is done. ``tone``: warn or bad.

    ``count``: how many, or better the rows themselves: those of all apps are counted in one query.
    """

    count: "int | QuerySet[Any]"
    words: str
    url: str
    tone: str = "warn"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that a newcomer does, ticked by what really happened. Lower positions come first.

    ``done``: whether, or better the rows that show it: those of all steps are looked for in one query.
    ``url`` leads to where it is done. ``template``, if any, is drawn below the words of the step that is next.
    """

    position: int
    title: str
    text: str
    done: "Callable[[Visit], bool | QuerySet[Any]]"
    url: Callable[[Visit], str]
    template: str = ""
    modes: frozenset[Mode] = frozenset(Mode)


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One thing that the search found: what it is, which one, and the page it has."""

    kind: str
    title: str
    detail: str
    url: str


@dataclass(frozen=True, kw_only=True)
class StoryLine:
    """One thing that happened around a payment, for its timeline.

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
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class SettingsSection:
    """A card on the settings page, lower positions first. What it changes, it changes on pages of its own."""

    position: int
    template: str
    context: Callable[[Visit], Mapping[str, object]]


@dataclass(frozen=True, kw_only=True)
class Action:
    """Something that this visitor can do with a payment: a button on its page. ``weight``: main, danger or none."""

    label: str
    url: str
    weight: str = ""
    rank: int = 50


Needs = Callable[[Visit], Iterable[Need]]
Search = Callable[[Visit, str], Iterable[Hit]]
Story = Callable[[Visit, UUID], Iterable[StoryLine]]
PaymentActions = Callable[[Visit, UUID], Iterable[Action]]
ActorNames = Callable[[Visit, frozenset[str]], Mapping[str, str]]

PANELS: list[Panel] = []
NEEDS: list[Needs] = []
STEPS: list[Step] = []
SEARCHES: list[Search] = []
STORIES: list[Story] = []
SETTINGS: list[SettingsSection] = []
PAYMENT_ACTIONS: list[PaymentActions] = []
ACTOR_NAMES: list[ActorNames] = []


def register_panel(panel: Panel) -> None:
    """Add a panel to every dashboard. Called while Django starts, from an app's ``dashboard``."""
    PANELS.append(panel)
    PANELS.sort(key=lambda known: known.position)


def register_needs(needs: Needs) -> None:
    """Add what the home page counts as waiting for a person. Zero counts are left out there."""
    NEEDS.append(needs)


def register_step(step: Step) -> None:
    """Add a step to the checklist that home shows until every step of the mode is done."""
    STEPS.append(step)
    STEPS.sort(key=lambda known: known.position)


def register_search(search: Search) -> None:
    """Add what the search box asks: the visitor's own rows that match a trimmed text exactly, a few at most."""
    SEARCHES.append(search)


def register_story(story: Story) -> None:
    """Add lines to the timeline of the visitor's payment with this id."""
    STORIES.append(story)


def register_settings(section: SettingsSection) -> None:
    """Add a card to the settings page."""
    SETTINGS.append(section)
    SETTINGS.sort(key=lambda known: known.position)


def register_payment_actions(actions: PaymentActions) -> None:
    """Add what the visitor can do with the payment that has this id. Nothing is drawn where nothing comes."""
    PAYMENT_ACTIONS.append(actions)


def register_actor_names(names: ActorNames) -> None:
    """Add names for actors that histories hold: all of a page at once, those it knows in its answer."""
    ACTOR_NAMES.append(names)


def pages() -> list[Page]:
    """Every registered page."""
    return [page for panel in PANELS for page in panel.pages]
