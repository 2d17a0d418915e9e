"""The learned ranker: its prior, what it learns, its regret, and that it can never stop a payment."""

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from core.clock import now
from core.modes import Mode
from core.money import BaseUnits, usd
from merchants.principal import Principal
from payments.models import Leg, PaymentIntent
from payments.routing.advisor import PRIOR_PAYMENTS, LearnedRanker, expected_cost_usd, failure_probability
from payments.routing.base import RouteOffer
from payments.routing.record import RouteOutcome, forget_outcomes, recent_outcomes
from payments.routing.scoring import route_of
from payments.services.create import NewIntent, create_intent
from payments.states import LegStatus
from tests.payments.offers import offer

CHEAP = offer(provider="cheap", input_base_units=BaseUnits(25_010_000))
SOLID = offer(provider="solid", input_base_units=BaseUnits(25_060_000))


def ranker(*outcomes: RouteOutcome) -> LearnedRanker:
    return LearnedRanker(lambda: outcomes)


def known(of: RouteOffer, **figures: int | Decimal) -> RouteOutcome:
    """What became of one offer's route; slowness as quoted, where not said."""
    figures.setdefault("slowness", Decimal(figures.get("confirmed", 0)))
    return RouteOutcome(route=route_of(of), **figures)  # type: ignore[arg-type]  # mixed figures, each of its own type


def test_without_a_record_the_quoted_cost_decides_and_the_prior_weighs_as_much_as_twenty_payments() -> None:
    assert ranker().preferred([SOLID, CHEAP]) is CHEAP
    assert expected_cost_usd(CHEAP, None) == Decimal("0.0400")
    assert failure_probability(RouteOutcome(route=route_of(CHEAP))) == Decimal("0.02")
    assert failure_probability(known(CHEAP, failed=1)) == Decimal("1.4") / 21
    assert failure_probability(known(CHEAP, confirmed=int(PRIOR_PAYMENTS))) == Decimal("0.01")


def test_it_leaves_a_route_that_fails_or_delivers_less_or_later_than_quoted() -> None:
    good = [known(CHEAP, confirmed=30, failed=1), known(CHEAP, confirmed=50)]
    bad = [
        known(CHEAP, confirmed=20, failed=10),
        known(CHEAP, confirmed=50, shortfalls=Decimal("0.5")),
        known(CHEAP, confirmed=50, slowness=Decimal(5000)),
    ]
    assert [ranker(record).preferred([SOLID, CHEAP]) for record in good + bad] == [CHEAP] * 2 + [SOLID] * 3


def test_it_has_no_opinion_without_offers_or_without_its_record() -> None:
    def broken() -> Sequence[RouteOutcome]:
        raise RuntimeError("no database")

    assert ranker().preferred([]) is None
    assert LearnedRanker(broken).preferred([CHEAP]) is None


def draws() -> Iterator[int]:
    """Numbers from 0 to 99 that look like chance and are the same in every run."""
    return (hashlib.sha256(f"draw {number}".encode()).digest()[0] * 100 // 256 for number in itertools.count())


def test_its_regret_shrinks_as_it_learns() -> None:
    """The cheap provider fails four times in ten. Regret: expected cost of its pick, less the best there is."""
    failing_percent = {"cheap": 40, "solid": 2}
    truth = {
        of.provider: expected_cost_usd(of, known(of, failed=percent * 10**6, confirmed=(100 - percent) * 10**6))
        for of, percent in zip((CHEAP, SOLID), failing_percent.values(), strict=True)
    }
    confirmed, failed = {"cheap": 0, "solid": 0}, {"cheap": 0, "solid": 0}
    regrets: list[Decimal] = []
    for draw in itertools.islice(draws(), 400):
        record = [known(of, confirmed=confirmed[of.provider], failed=failed[of.provider]) for of in (CHEAP, SOLID)]
        picked = ranker(*record).preferred([CHEAP, SOLID])
        assert picked is not None
        (failed if draw < failing_percent[picked.provider] else confirmed)[picked.provider] += 1
        regrets.append(truth[picked.provider] - min(truth.values()))
    assert regrets[0] > 0
    assert confirmed["cheap"] + failed["cheap"] < 20
    assert sum(regrets[20:], Decimal(0)) == 0


@pytest.fixture
def intent(principal: Principal) -> PaymentIntent:
    """An intent that legs can belong to, and no record in memory."""
    forget_outcomes()
    return create_intent(principal, NewIntent(amount_usd=usd("25")))


def past_leg(intent: PaymentIntent, sequence: int, status: LegStatus, **figures: object) -> None:
    """A leg that ended: quoted 20 s and 100 units, sent a minute ago."""
    sent = now() - timedelta(seconds=60)
    row: dict[str, Any] = {
        **{"merchant": intent.merchant, "mode": intent.mode, "intent": intent, "sequence": sequence, "status": status},
        **{"kind": "swap", "provider": "atlas", "chain": "base", "to_chain": "base"},
        **{"token_decimals": 6, "to_token_decimals": 6, "amount_usd": Decimal(25), "typical_seconds": 20},
        **{"input_base_units": 110, "min_output_base_units": 100, "output_base_units": 100},
        **{"submitted_at": sent, "confirmed_at": sent + timedelta(seconds=30), **figures},
    }
    Leg(**row).save(force_insert=True)


def test_the_record_counts_what_became_of_sent_legs(intent: PaymentIntent) -> None:
    past_leg(intent, 1, LegStatus.CONFIRMED)
    past_leg(intent, 2, LegStatus.CONFIRMED, output_base_units=90)
    past_leg(intent, 3, LegStatus.CONFIRMED, output_base_units=101, confirmed_at=None)
    past_leg(intent, 4, LegStatus.FAILED, output_base_units=None, confirmed_at=None)
    past_leg(intent, 5, LegStatus.REFUNDED, provider="meridian", chain="bnb", output_base_units=None)
    assert recent_outcomes(Mode.TEST) == [
        RouteOutcome(
            route=("atlas", "base", "base"), confirmed=3, failed=1, shortfalls=Decimal("0.1"), slowness=Decimal(4)
        ),
        RouteOutcome(route=("meridian", "bnb", "base"), failed=1),
    ]


def test_the_record_is_read_once_a_minute_and_leaves_out_what_says_nothing_of_a_route(
    intent: PaymentIntent, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    past_leg(intent, 1, LegStatus.FAILED, submitted_at=None)
    past_leg(intent, 2, LegStatus.CONFIRMED, submitted_at=now() - timedelta(days=31))
    past_leg(intent, 3, LegStatus.CONFIRMED, kind="payout")
    past_leg(intent, 4, LegStatus.SUBMITTED)
    past_leg(intent, 5, LegStatus.CONFIRMED, mode=Mode.LIVE)
    with django_assert_num_queries(1):
        assert recent_outcomes(Mode.TEST) == []
    past_leg(intent, 6, LegStatus.CONFIRMED)
    with django_assert_num_queries(0):
        assert recent_outcomes(Mode.TEST) == []
    forget_outcomes()
    with django_assert_num_queries(1):
        assert len(recent_outcomes(Mode.TEST)) == 1
