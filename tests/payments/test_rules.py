"""What follows from what the chains show: each line of docs/states.md, over everything that can be known."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest

from config.states_page import PAGE, written
from core.states import Machine
from payments.rules import INTENT_RULES, LEG_RULES, IntentFacts, LegFacts, Note, Rule, first_that_fits, what_follows
from payments.states import FLYING_LEG, INTENT_MACHINE, LEG_MACHINE, IntentStatus

Case = tuple[Any, Rule[Any] | None]
SETTLING, NOTES = {"settle", "accept_late"}, set(Note)


def cases(kind: type[Any], statuses: Sequence[str], rules: Sequence[Rule[Any]]) -> Iterator[Case]:
    """Everything that can be known, and the rule that fits."""
    names = [field.name for field in fields(kind) if field.name != "status"]
    for status, values in product(statuses, product([False, True], repeat=len(names))):
        facts = kind(status=status, **dict(zip(names, values, strict=True)))
        yield facts, first_that_fits(rules, facts)


def intents() -> Iterator[Case]:
    return (
        case for case in cases(IntentFacts, list(IntentStatus), INTENT_RULES) if not (case[0].more and case[0].less)
    )


def legs() -> Iterator[Case]:
    """Why some cannot be: what counts arrived, and what failed brought nothing."""
    for leg, rule in cases(LegFacts, FLYING_LEG, LEG_RULES):
        if leg.has_arrived >= leg.is_counted and not (leg.has_failed and leg.has_arrived):
            yield leg, rule


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "docs/states.md is not current: run `make states`"


@pytest.mark.parametrize(
    ("found", "rules", "machine"),
    [(intents, INTENT_RULES, INTENT_MACHINE), (legs, LEG_RULES, LEG_MACHINE)],
    ids=["intents", "legs"],
)
def test_each_rule_is_the_first_for_something_and_leads_where_its_table_allows(
    found: Any, rules: Sequence[Rule[Any]], machine: Machine
) -> None:
    applied = [(facts, rule) for facts, rule in found() if rule is not None]
    assert {rule.when for _, rule in applied} == {rule.when for rule in rules}
    triggers = [(facts.status, rule.trigger) for facts, rule in applied if rule.trigger not in {None, *NOTES}]
    assert {pair for pair in triggers if not machine.allows(*pair)} == set()


def test_nothing_settles_that_is_not_complete_and_nothing_ends_while_more_may_come() -> None:
    for facts, rule in intents():
        trigger = None if rule is None else rule.trigger
        assert facts.is_complete or trigger not in SETTLING
        assert not (facts.is_coming and trigger in {"fill_partly", "end_top_up", "end_attempt", "fail"})
        assert not (facts.is_over and not facts.more and not facts.less and trigger)


def test_what_was_paid_in_full_never_fails() -> None:
    for facts, rule in intents():
        if facts.is_executing and facts.is_complete:
            assert rule is not None
            assert rule.trigger == "settle"


def test_a_payment_that_was_found_begins_and_is_concluded_at_once() -> None:
    for facts, rule in intents():
        first = [note for note, is_due in ((Note.OWED, facts.owes), (Note.PROGRESS, not facts.is_over)) if is_due]
        triggers = [] if rule is None or rule.trigger is None else [rule.trigger]
        if triggers == ["observe_credit"]:
            begun = first_that_fits(INTENT_RULES, replace(facts, status=IntentStatus.EXECUTING))
            triggers += [] if begun is None or begun.trigger is None else [begun.trigger]
        assert what_follows(facts) == [*first, *triggers]


def test_what_is_owed_is_noted_first_and_whatever_the_status() -> None:
    paid = IntentFacts(status=IntentStatus.AWAITING_SIGNATURE, owes=True, more=True, is_complete=True, is_moving=True)
    assert what_follows(paid) == ["note_owed", "note_progress", "observe_credit", "settle"]
    over = [what_follows(IntentFacts(status=status, owes=True)) for status in INTENT_MACHINE.terminal]
    assert over == [["note_owed"]] * 5


def test_a_leg_is_confirmed_by_what_counts_alone() -> None:
    for facts, rule in legs():
        if rule is not None and rule.trigger == "confirm":
            assert facts.is_counted
        if rule is not None and rule.trigger == "fail" and rule.error == "reverted":
            assert facts.is_deep
            assert not facts.has_arrived
