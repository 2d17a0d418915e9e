"""Every wrong of the catalogue is named by ``check_invariants``, with its ids, and nothing else is."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from pytest_django.plugin import DjangoDbBlocker

from config.invariants import INVARIANTS, WHOLE, violations
from refunds.models import RefundTransition
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
    undone,
)
from tests.invariants_plants.places import line, profile

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def ground(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Ground]:
    """One shop for all: making it takes longer than checking it. Each plant is pulled out again."""
    with django_db_blocker.unblock(), undone():
        made = make_ground()
        assert list(violations()) == []
        yield made


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_is_planted_is_named_and_nothing_else(name: str, ground: Ground) -> None:
    assert list(violations()) == []
    expected = CATALOGUE[name](ground)
    assert sorted(violations()) == sorted(expected)


@pytest.mark.spec("Rulings B15.1")
@pytest.mark.parametrize(("invariant", "name"), SEEN_RED.items())
def test_every_invariant_of_money_is_turned_red(invariant: str, name: str, ground: Ground) -> None:
    (found,) = [one for one in INVARIANTS if one.__name__ == invariant]
    assert list(found(WHOLE)) == []
    CATALOGUE[name](ground)
    assert list(found(WHOLE)) != []


def test_the_catalogue_grows_and_never_shrinks() -> None:
    assert len(CATALOGUE) >= 60


def test_a_refund_from_other_funds_is_not_blamed(ground: Ground) -> None:
    all_of_it = {"other_funds_usd": dollars("10"), "other_funds_units": 10_000_000}
    paid_refund(ground.kept, amount_usd=dollars("10"), base_units=10_000_000, **all_of_it)
    set_intent(ground.kept, refunded_usd=dollars("10"))
    assert list(violations()) == []


def test_a_payout_to_an_address_that_held_is_not_blamed(ground: Ground) -> None:
    """To the one before a change that came later."""
    payout = ground.payout
    change(row_of(payout), destination=WALLET)
    change(transfer_of(payout), recipient=WALLET)
    change(shown_of(payout), recipient=WALLET)
    line(ground, STRANGER, payout.created_at + timedelta(hours=1), before=WALLET)
    profile(ground, STRANGER)
    assert list(violations()) == []


def test_a_refund_by_itself_to_who_paid_as_much_is_not_blamed(ground: Ground) -> None:
    change(row_of(only_credit(ground.live)), payer=ground.live_refund.destination.lower())
    lines = RefundTransition.objects.filter(subject=ground.live_refund, trigger="address")
    change(lines, reason="to the paying wallet", actor="policy:late")
    assert list(violations()) == []
