"""Money never changes by being kept, written, read or split: proved over everything a token may be."""

from decimal import Decimal, Inexact, localcontext
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from core.columns import BaseUnitsColumn, UsdColumn
from core.money import (
    BaseUnits,
    from_base_units,
    json_number,
    round_usd_up,
    to_decimal_string,
    usd,
    usd_from_micros,
    usd_to_micros,
)
from core.renderers import to_json

UNITS = st.integers(min_value=0, max_value=2**256 - 1)
TOKEN_DECIMALS = st.integers(min_value=0, max_value=18)
MICROS = st.integers(min_value=-(2**63), max_value=2**63 - 1)


@pytest.mark.spec("Rulings A1.2")
@given(UNITS, TOKEN_DECIMALS)
def test_base_units_survive_the_round_trip(units: int, decimals: int) -> None:
    quantity = from_base_units(BaseUnits(units), decimals)
    with localcontext(prec=120):
        assert quantity.scaleb(decimals) == units


@given(UNITS, TOKEN_DECIMALS, st.integers(min_value=1, max_value=10))
def test_a_split_and_its_remainder_are_the_whole(units: int, decimals: int, parts: int) -> None:
    share = BaseUnits(units // parts)
    last = BaseUnits(units - share * (parts - 1))
    shares = [from_base_units(share, decimals)] * (parts - 1) + [from_base_units(last, decimals)]
    with localcontext(prec=120):
        assert sum(shares) == from_base_units(BaseUnits(units), decimals)


@pytest.mark.spec("Rulings A1.1")
@given(MICROS)
def test_micros_survive_the_round_trip(micros: int) -> None:
    amount = usd_from_micros(micros)
    assert usd_to_micros(amount) == micros
    assert usd_to_micros(Decimal(to_decimal_string(amount))) == micros
    assert Decimal(to_json(json_number(amount)).decode()) == amount


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=18))
def test_rounding_dollars_goes_the_way_it_says(amount: Decimal) -> None:
    up = round_usd_up(amount)
    assert abs(amount) <= abs(up) < abs(amount) + Decimal("0.000001")
    assert usd_to_micros(up) == up * 1_000_000


@pytest.mark.spec("Rulings A1.1; Rulings A1.2")
def test_digits_that_cannot_be_kept_are_refused() -> None:
    for text in ("0.0000001", "1.2345678", "-0.0000009"):
        with pytest.raises(ValueError, match="more than six decimals"):
            usd_to_micros(Decimal(text))
    with pytest.raises(ValueError, match="more than six decimals"):
        UsdColumn().get_prep_value(0.1)
    values: tuple[Any, ...] = (1.5, 0.1, Decimal("0.5"), 10**78, -(10**78))
    for value in values:
        with pytest.raises(ValueError, match="not a whole number"):
            BaseUnitsColumn().get_db_prep_value(value, connection)
    with pytest.raises(Inexact):
        usd_to_micros(Decimal("1" * 130))


@pytest.mark.spec("PaymentIntent amount: decimal string")
def test_the_written_form() -> None:
    written = {
        **{"25": "25.00", "25.5": "25.50", "25.50": "25.50", "0": "0.00", "-0": "0.00", "-0.00": "0.00", "-5": "-5.00"},
        **{"1E+3": "1000.00", "1E-6": "0.000001", "0.123456": "0.123456", "1000000.000000": "1000000.00"},
        "99999999999999999999.999999": "99999999999999999999.999999",
    }
    assert {amount: to_decimal_string(usd(amount)) for amount in written} == written
    assert to_decimal_string(Decimal("100"), 0) == to_decimal_string(Decimal("1E+2"), 0) == "100"
