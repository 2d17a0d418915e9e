"""Every wrong of the catalogue is named by ``check_invariants``, with its ids, and nothing else is."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from core.clock import now
from operations.invariants import INVARIANTS, WHOLE, violations
from operations.invariants.hourly import look_since
from operations.invariants.walk import steps
from refunds.models import RefundTransition
from tests.each import faults
from tests.factories.money_out import paid_refund
from tests.invariants_plants import CATALOGUE, SEEN_RED
from tests.invariants_plants.ground import (
    STRANGER,
    WALLET,
    Ground,
    change,
    dollars,
    make_ground,
    only_credit,
    row_of,
    set_intent,
    shown_of,
    transfer_of,
)
from tests.invariants_plants.places import line, profile
from tests.invariants_plants.strays import given_back

pytestmark = pytest.mark.django_db


@pytest.mark.spec("Rulings B15.1")
def test_what_is_planted_is_named_and_nothing_else_and_every_invariant_of_money_is_turned_red() -> None:
    """One shop for all: making it takes longer than checking it. Each plant is pulled out again."""
    began = now()
    ground = make_ground()
    assert (list(violations()), by_the_hour(began), by_the_walk()) == ([], set(), set())
    assert len(CATALOGUE) >= 60
    red_by = {name: {invariant for invariant, plant in SEEN_RED.items() if plant == name} for name in CATALOGUE}

    def check(name: str) -> None:
        expected = CATALOGUE[name](ground)
        said = {invariant.__name__: list(invariant(WHOLE)) for invariant in INVARIANTS}
        assert sorted(sentence for sentences in said.values() for sentence in sentences) == sorted(expected)
        assert [invariant for invariant in red_by[name] if not said[invariant]] == []
        assert by_the_hour(began) == by_the_walk() == set(expected)

    assert faults(check, CATALOGUE) == {}
    assert set(SEEN_RED.values()) <= set(CATALOGUE)
    assert faults(lambda harmless: _is_not_blamed(harmless, ground), HARMLESS) == {}


def by_the_hour(since: datetime) -> set[str]:
    """What a check says whose watermark is there."""
    return set(look_since(since, []).sentences)


def by_the_walk() -> set[str]:
    """What is said on the way over everything."""
    return {sentence for step in steps() for sentence in step.violations}


def _is_not_blamed(harmless: str, ground: Ground) -> None:
    HARMLESS[harmless](ground)
    assert list(violations()) == []


def _from_other_funds(ground: Ground) -> None:
    all_of_it = {"other_funds_usd": dollars("10"), "other_funds_units": 10_000_000}
    paid_refund(ground.kept, amount_usd=dollars("10"), base_units=10_000_000, **all_of_it)
    set_intent(ground.kept, refunded_usd=dollars("10"))


def _to_an_address_that_held(ground: Ground) -> None:
    """To the one before a change that came later."""
    payout = ground.payout
    change(row_of(payout), destination=WALLET)
    change(transfer_of(payout), recipient=WALLET)
    change(shown_of(payout), recipient=WALLET)
    line(ground, STRANGER, payout.created_at + timedelta(hours=1), before=WALLET)
    profile(ground, STRANGER)


def _by_itself_to_who_paid_as_much(ground: Ground) -> None:
    change(row_of(only_credit(ground.live)), payer=ground.live_refund.destination.lower())
    lines = RefundTransition.objects.filter(subject=ground.live_refund, trigger="address")
    change(lines, reason="to the paying wallet", actor="policy:late")


def _a_stray_given_back(ground: Ground) -> None:
    given_back(ground)


HARMLESS: dict[str, Callable[[Ground], None]] = {
    "a refund from other funds": _from_other_funds,
    "a payout to an address that held": _to_an_address_that_held,
    "a refund by itself to who paid as much": _by_itself_to_who_paid_as_much,
    "a stray given back": _a_stray_given_back,
}
