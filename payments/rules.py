"""What follows for a leg that was sent, and for an intent, from what is known of them: the first rule that fits.

Pure: no row is read here, and no clock. Printed in docs/states.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, TypeVar

from payments.states import (
    INTENT_MACHINE,
    NOT_FOUND,
    REPLACED,
    REVERTED,
    UNFILLED,
    IntentStatus,
    LegStatus,
)

Facts = TypeVar("Facts")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule(Generic[Facts]):
    """``when`` says in words what ``fits`` tells of facts. ``trigger`` is what follows, None where all stays.

    A trigger is a row of the machine in ``payments.states``, or a ``Note``.
    """

    when: str
    fits: Callable[[Facts], bool]
    trigger: str | None
    error: str = ""


class Note(StrEnum):
    """What is written down of an intent without another status.

    What it owes: at any time; its progress: until it is over; the others: once it is.
    """

    OWED = "note_owed"
    PROGRESS = "note_progress"
    LESS = "note_less"
    SURPLUS = "note_surplus"
    LATE = "note_late"


def first_that_fits(rules: Sequence[Rule[Facts]], facts: Facts) -> Rule[Facts] | None:
    """What follows; None where nothing does."""
    return next((rule for rule in rules if rule.fits(facts)), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class LegFacts:
    """What was seen of a leg that was sent.

    ``has_failed``: its own transaction did, and nothing arrived; ``is_deep``: as deep as a payment counts there.
    ``is_returned``, ``is_void``, ``is_unknown``: what a bridge did, or whether nobody can say.
    ``has_arrived``: something did; ``is_counted``: it did, and all of it counts.
    """

    status: str
    is_replaced: bool = False
    has_failed: bool = False
    is_deep: bool = False
    is_included: bool = False
    waits_too_long: bool = False
    is_returned: bool = False
    is_void: bool = False
    is_unknown: bool = False
    has_arrived: bool = False
    is_counted: bool = False


LEG_RULES: tuple[Rule[LegFacts], ...] = (
    Rule(
        when="another transaction of the same wallet took its place",
        fits=lambda leg: leg.is_replaced,
        trigger="fail",
        error=REPLACED,
    ),
    Rule(
        when="its transaction failed, as deep as a payment counts, and nothing arrived",
        fits=lambda leg: leg.has_failed and leg.is_deep,
        trigger="fail",
        error=REVERTED,
    ),
    Rule(
        when="its transaction is in no block after ten minutes",
        fits=lambda leg: not leg.has_failed and leg.waits_too_long,
        trigger="fail",
        error=NOT_FOUND,
    ),
    Rule(
        when="its bridge gave the money back, as deep as a payment counts",
        fits=lambda leg: not leg.has_failed and leg.is_returned,
        trigger="give_back",
    ),
    Rule(
        when="its bridge can deliver no more",
        fits=lambda leg: not leg.has_failed and leg.is_void,
        trigger="fail",
        error=UNFILLED,
    ),
    Rule(when="money arrived, and all of it counts", fits=lambda leg: leg.is_counted, trigger="confirm"),
    Rule(
        when="it is confirming, nothing arrived any more, and nobody can say where it is",
        fits=lambda leg: leg.status == LegStatus.CONFIRMING and not leg.has_arrived and leg.is_unknown,
        trigger="lose_sight",
    ),
    Rule(
        when="it was submitted, and stands in a block, or money arrived",
        fits=lambda leg: leg.status == LegStatus.SUBMITTED and (leg.has_arrived or leg.is_included),
        trigger="include",
    ),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class IntentFacts:
    """What is known of an intent's money.

    ``owes``: another sum than is written down left it although its chain shows it no more. ``more``, ``less``: what
    counts, beside what is written down. ``is_complete``: what stays is what was asked for.
    ``is_moving``: a leg was sent, or a payment came that is more than dust. ``is_coming``: more may still arrive.
    ``is_worth``: what arrived is more than dust; ``is_news``: it was not told as a part before, or was topped up.
    ``settles_late``: what came late may settle it.
    """

    status: str
    owes: bool = False
    more: bool = False
    less: bool = False
    is_complete: bool = False
    is_moving: bool = False
    is_coming: bool = False
    is_worth: bool = False
    is_news: bool = False
    may_try_again: bool = False
    settles_late: bool = False

    @property
    def is_over(self) -> bool:
        """Whether its status is one that ends it."""
        return self.status in INTENT_MACHINE.terminal

    @property
    def is_executing(self) -> bool:
        """Whether a payment is on its way."""
        return self.status == IntentStatus.EXECUTING


INTENT_RULES: tuple[Rule[IntentFacts], ...] = (
    Rule(
        when="it is settled, less counts than did, and what stays is not what was asked for",
        fits=lambda one: one.status == IntentStatus.SETTLED and one.less and not one.is_complete,
        trigger="reverse",
    ),
    Rule(when="it is over, and less counts than did", fits=lambda one: one.is_over and one.less, trigger=Note.LESS),
    Rule(when="it is over, and as much counts as did", fits=lambda one: one.is_over and not one.more, trigger=None),
    Rule(
        when="it is settled, and more counts than did",
        fits=lambda one: one.status == IntentStatus.SETTLED,
        trigger=Note.SURPLUS,
    ),
    Rule(
        when="it expired, what was asked for is complete, and was paid in time or is taken late",
        fits=lambda one: one.status == IntentStatus.EXPIRED and one.is_complete and one.settles_late,
        trigger="accept_late",
    ),
    Rule(when="it is over in another way, and more counts than did", fits=lambda one: one.is_over, trigger=Note.LATE),
    Rule(
        when="a leg was sent, or a payment came that is more than dust",
        fits=lambda one: not one.is_executing and one.is_moving,
        trigger="observe_credit",
    ),
    Rule(
        when="it is executing, and what stays is what was asked for",
        fits=lambda one: one.is_executing and one.is_complete,
        trigger="settle",
    ),
    Rule(
        when="it is executing, and more may still arrive",
        fits=lambda one: one.is_executing and one.is_coming,
        trigger=None,
    ),
    Rule(
        when="it is executing, nothing more is coming, and a part is there that was not told",
        fits=lambda one: one.is_executing and one.is_worth and one.is_news,
        trigger="fill_partly",
    ),
    Rule(
        when="it is executing, nothing more is coming, and what is there was told before",
        fits=lambda one: one.is_executing and one.is_worth,
        trigger="end_top_up",
    ),
    Rule(
        when="it is executing, nothing more is coming, nothing is there, and there is time for another try",
        fits=lambda one: one.is_executing and one.may_try_again,
        trigger="end_attempt",
    ),
    Rule(
        when="it is executing, nothing more is coming, nothing is there, and no time is left",
        fits=lambda one: one.is_executing,
        trigger="fail",
    ),
)


def what_follows(facts: IntentFacts) -> list[str]:
    """The triggers and notes that follow for an intent, one after the other.

    A payment that was found begins its execution, and may end it at once.
    """
    following: list[str] = [Note.OWED] if facts.owes else []
    if not facts.is_over:
        following.append(Note.PROGRESS)
    rule = first_that_fits(INTENT_RULES, facts)
    if rule is not None and rule.trigger == "observe_credit":
        following.append(rule.trigger)
        rule = first_that_fits(INTENT_RULES, replace(facts, status=IntentStatus.EXECUTING))
    if rule is not None and rule.trigger is not None:
        following.append(rule.trigger)
    return following
