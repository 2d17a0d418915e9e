"""Figures of an intent: exact over every size of token, and never in anybody's favour by accident."""

from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from core.clock import now
from core.money import BaseUnits, UsdAmount
from payments.amounts import (
    amount_due,
    due_base_units,
    is_dust,
    is_partially_funded,
    tolerance_base_units,
    value_at_frozen_rate,
)
from payments.models import Leg, PaymentIntent
from payments.services.outcome import conclude
from payments.services.transition import locked_intent
from tests.conftest import ApiClient
from tests.factories.payments import credit
from tests.payments.statuses import intent_in
from tests.payments.world import World, events, read

AMOUNTS = st.integers(1, 100_000_000).map(lambda cents: UsdAmount(Decimal(cents).scaleb(-2)))
TARGETS = st.integers(1, 10**30).map(BaseUnits)
SHARES = st.fractions(0, 2)


def intent_over(amount: UsdAmount, target: BaseUnits) -> PaymentIntent:
    """An unsaved intent whose amount is so many base units."""
    return PaymentIntent(amount=amount, target_base_units=target, received_usd=UsdAmount(Decimal(0)))


@pytest.mark.spec("Rulings A7.2")
@pytest.mark.spec("Money: never creates value")
@given(amount=AMOUNTS, target=TARGETS)
def test_the_whole_target_is_worth_exactly_the_amount(amount: UsdAmount, target: BaseUnits) -> None:
    intent = intent_over(amount, target)
    assert value_at_frozen_rate(intent, target) == amount
    assert due_base_units(intent, target) == 0
    intent.received_usd = value_at_frozen_rate(intent, target)
    assert amount_due(intent) == 0
    assert not is_partially_funded(intent)


@pytest.mark.spec("Money: never creates value")
@given(amount=AMOUNTS, target=TARGETS, share=SHARES)
def test_value_is_cut_to_micro_dollars(amount: UsdAmount, target: BaseUnits, share: Fraction) -> None:
    units = BaseUnits(int(target * share))
    exact = Fraction(amount) * units / target
    value = value_at_frozen_rate(intent_over(amount, target), units)
    assert 0 <= exact - Fraction(value) < Fraction(1, 10**6)
    assert value == round(value, 6)


@given(amount=AMOUNTS, target=TARGETS)
def test_one_unit_short_is_short(amount: UsdAmount, target: BaseUnits) -> None:
    intent = intent_over(amount, target)
    short = BaseUnits(target - 1)
    assert value_at_frozen_rate(intent, short) < amount
    assert due_base_units(intent, short) == 1
    intent.received_usd = value_at_frozen_rate(intent, short)
    assert amount_due(intent) > 0


@pytest.mark.spec("Contract 2.16")
@pytest.mark.spec("Tolerance: 0.5 % or 0.10 USD, whichever is smaller")
@given(amount=AMOUNTS, target=TARGETS)
def test_tolerance(amount: UsdAmount, target: BaseUnits) -> None:
    units = tolerance_base_units(intent_over(amount, target), target)
    allowed = min(Fraction(5, 1000), Fraction(1, 10) / Fraction(amount)) * target
    assert 0 <= allowed - units < 1


@pytest.mark.spec("Rulings C12.1")
def test_what_did_not_cross_a_bridge_is_given_no_tolerance() -> None:
    intent = intent_over(UsdAmount(Decimal(10)), BaseUnits(10_000_000))
    assert tolerance_base_units(intent, BaseUnits(0)) == 0
    assert tolerance_base_units(intent, BaseUnits(2_000_000)) == 10_000
    assert tolerance_base_units(intent, BaseUnits(2_000_000), 500) == 100_000
    assert tolerance_base_units(intent, BaseUnits(90_000_000), 500) == 500_000


@pytest.mark.spec("Rulings C12.2")
@pytest.mark.spec("Dust: below max(1 USD, 1 %)")
@pytest.mark.parametrize(
    ("amount", "received", "dust"),
    [
        ("25", "0.999999", True),
        ("25", "1", False),
        ("1000", "9.999999", True),
        ("1000", "10", False),
        ("0.50", "0.499999", True),
        ("0.50", "0.50", False),
    ],
)
def test_dust(amount: str, received: str, dust: bool) -> None:
    assert is_dust(intent_over(UsdAmount(Decimal(amount)), BaseUnits(1)), Decimal(received)) is dust


def arrives_at_once(intent_id: str, units: int) -> None:
    """So many units arrive while the payment is on its way."""
    with transaction.atomic():
        row = locked_intent(intent_id)
        credit(row, units, block_time=now(), final_at=now(), leg=Leg.objects.get(intent=row))
        Leg.objects.filter(intent=row).update(status="confirmed")
        conclude(row)


@pytest.mark.spec("Rulings C11.3")
@pytest.mark.spec("overpaid only beyond the quoted slippage")
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
    arrives_at_once(intent["id"], units)
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
    leg = Leg.objects.get()
    if kind == "swap":
        Leg.objects.update(kind=kind)
    else:
        values = {field.attname: getattr(leg, field.attname) for field in leg._meta.fields if field.attname != "id"}
        Leg.objects.create(**values | {"sequence": 2, "kind": "bridge", "status": "refunded"})
    with transaction.atomic():
        row = locked_intent(intent["id"])
        credit(row, 24_999_999 if kind == "swap" else 24_950_000, block_time=now(), final_at=now(), leg=leg)
        Leg.objects.filter(sequence=1).update(status="confirmed")
        conclude(row)
    assert read(api, intent)["status"] == "partially_filled"
