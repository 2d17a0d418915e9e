"""Figures of an intent: exact over every size of token, and never in anybody's favour by accident."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.money import BaseUnits, UsdAmount
from payments import amounts
from payments.models import Leg, PaymentIntent
from tests.conftest import ApiClient
from tests.payments.arrivals import arrives
from tests.payments.statuses import intent_in
from tests.payments.world import World, events, read

AMOUNTS = st.integers(1, 100_000_000).map(lambda cents: UsdAmount(Decimal(cents).scaleb(-2)))
TARGETS = st.integers(1, 10**30).map(BaseUnits)
SHARES = st.fractions(0, 2)


def intent_over(amount: UsdAmount, target: BaseUnits) -> PaymentIntent:
    return PaymentIntent(amount=amount, target_base_units=target, received_usd=UsdAmount(Decimal(0)))


@pytest.mark.spec("Rulings A7.2; Money: never creates value")
@given(amount=AMOUNTS, target=TARGETS)
def test_the_whole_target_is_worth_exactly_the_amount_and_one_unit_short_is_short(
    amount: UsdAmount, target: BaseUnits
) -> None:
    intent, short = intent_over(amount, target), BaseUnits(target - 1)
    assert amounts.value_at_frozen_rate(intent, short) < amount
    assert amounts.due_base_units(intent, short) == 1
    intent.received_usd = amounts.value_at_frozen_rate(intent, short)
    assert amounts.amount_due(intent) > 0
    assert amounts.value_at_frozen_rate(intent, target) == amount
    assert amounts.due_base_units(intent, target) == 0
    intent.received_usd = amounts.value_at_frozen_rate(intent, target)
    assert amounts.amount_due(intent) == 0
    assert not amounts.is_partially_funded(intent)


@pytest.mark.spec("Money: never creates value")
@given(amount=AMOUNTS, target=TARGETS, share=SHARES)
def test_value_is_cut_to_micro_dollars(amount: UsdAmount, target: BaseUnits, share: Fraction) -> None:
    units = BaseUnits(int(target * share))
    exact = Fraction(amount) * units / target
    value = amounts.value_at_frozen_rate(intent_over(amount, target), units)
    assert 0 <= exact - Fraction(value) < Fraction(1, 10**6)
    assert value == round(value, 6)


@pytest.mark.spec("Contract 2.16; Tolerance: 0.5 % or 0.10 USD, whichever is smaller")
@given(amount=AMOUNTS, target=TARGETS)
def test_tolerance(amount: UsdAmount, target: BaseUnits) -> None:
    units = amounts.tolerance_base_units(intent_over(amount, target), target)
    allowed = min(Fraction(5, 1000), Fraction(1, 10) / Fraction(amount)) * target
    assert 0 <= allowed - units < 1


@pytest.mark.spec("Rulings C12.1")
def test_what_did_not_cross_a_bridge_is_given_no_tolerance() -> None:
    intent = intent_over(UsdAmount(Decimal(10)), BaseUnits(10_000_000))
    assert amounts.tolerance_base_units(intent, BaseUnits(0)) == 0
    assert amounts.tolerance_base_units(intent, BaseUnits(2_000_000)) == 10_000
    assert amounts.tolerance_base_units(intent, BaseUnits(2_000_000), 500) == 100_000
    assert amounts.tolerance_base_units(intent, BaseUnits(90_000_000), 500) == 500_000


@pytest.mark.spec("Rulings C12.2; Dust: below max(1 USD, 1 %)")
def test_dust() -> None:
    for amount, enough in (("25", "1"), ("1000", "10"), ("0.50", "0.50")):
        intent = intent_over(UsdAmount(Decimal(amount)), BaseUnits(1))
        below = Decimal(enough) - Decimal("0.000001")
        assert (amounts.is_dust(intent, below), amounts.is_dust(intent, Decimal(enough))) == (True, False), amount


@pytest.mark.spec("Rulings C11.3; overpaid only beyond the quoted slippage")
@pytest.mark.parametrize(
    ("units", "received", "overpaid"),
    [
        (25_000_000, "25.00", "0.00"),
        (25_000_001, "25.000001", "0.00"),
        (25_250_000, "25.25", "0.00"),
        (25_250_001, "25.250001", "0.250001"),
        (50_000_000, "50.00", "25.00"),
    ],
)
def test_overpaid(world: World, api: ApiClient, units: int, received: str, overpaid: str) -> None:
    intent = intent_in(world, api, "executing")
    arrives(intent, units, "transfer")
    shown = read(api, intent)
    assert (shown["status"], shown["amount_received"], shown["overpaid_usd"]) == ("settled", received, overpaid)
    assert shown["amount_due"] == "0.00"
    assert ("overpaid" in events(intent)) is (overpaid != "0.00")
    row = PaymentIntent.objects.get()
    assert row.received_usd == (row.net_settlement_usd or 0) + (row.platform_fee_usd or 0)


@pytest.mark.spec("Tolerance is 0 for direct payments, the contract's default for bridges")
@pytest.mark.parametrize("kind", ["swap", "bridge that failed"])
def test_nothing_but_a_bridge_that_delivered_lends_tolerance(world: World, api: ApiClient, kind: str) -> None:
    """What such a bridge and a transfer settle with is in test_payment_policy.py."""
    intent = intent_in(world, api, "executing")
    if kind == "swap":
        arrives(intent, 24_999_999, "swap")
    else:
        values: dict[str, Any] = {**Leg.objects.values().get()}
        del values["id"]
        Leg.objects.create(**values | {"sequence": 2, "kind": "bridge", "status": "refunded"})
        arrives(intent, 24_950_000, "transfer")
    assert read(api, intent)["status"] == "partially_filled"
