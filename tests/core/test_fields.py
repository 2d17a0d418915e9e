"""Input fields take exactly the JSON type they name, and every problem has a name and a place."""

from decimal import Decimal
from typing import Any

import pytest
from rest_framework import serializers

from core.errors import InvalidRequest
from core.fields import (
    StrictBooleanField,
    StrictEmailField,
    StrictIntegerField,
    StrictSerializer,
    StrictStringField,
    UsdAmountField,
    check_body,
)
from core.parsers import parse_exactly


class Order(StrictSerializer):
    """Every kind of field."""

    amount = UsdAmountField(minimum=Decimal("0.01"), maximum=Decimal(1_000_000))
    seconds = StrictIntegerField(required=False, min_value=60, max_value=2_592_000)
    reason = StrictStringField(required=False, max_length=5)
    email = StrictEmailField(required=False, max_length=254)
    enabled = StrictBooleanField(required=False)
    events = serializers.ListField(child=StrictStringField(max_length=3), required=False, allow_empty=False)


def problems(body: str) -> set[tuple[str, str]]:
    """Which fields are refused, and with which code."""
    with pytest.raises(InvalidRequest) as refusal:
        check_body(Order, parse_exactly(body.encode()))
    return {(problem["field"], problem["code"]) for problem in refusal.value.details["fields"]}


def amount(literal: str) -> Any:
    """What becomes of an amount."""
    return check_body(Order, parse_exactly(f'{{"amount": {literal}}}'.encode()))["amount"]


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
@pytest.mark.parametrize(
    ("literal", "exact"),
    [
        ("0.01", "0.01"),
        ("1000000", "1000000"),
        ("1000000.00", "1000000"),
        ("25.10", "25.1"),
        ("1e2", "100"),
        ("2.5E1", "25"),
        ("0.1e-1", "0.01"),
        ("33.330000000000000000000000000", "33.33"),
    ],
)
def test_amounts_are_exact(literal: str, exact: str) -> None:
    assert amount(literal) == Decimal(exact)


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
@pytest.mark.parametrize(
    ("literal", "code"),
    [
        ("0.009", "out_of_range"),
        ("0", "out_of_range"),
        ("-1", "out_of_range"),
        ("1000000.01", "out_of_range"),
        ("1e300", "out_of_range"),
        ("9" * 40, "out_of_range"),
        ("25.001", "precision"),
        ("0.019999999999999999999999999999999", "precision"),
        ('"25"', "type"),
        ('"1e5"', "type"),
        ('"٢٥"', "type"),
        ("true", "type"),
        ("[25]", "type"),
        ("{}", "type"),
        ("null", "type"),
    ],
)
def test_amounts_that_are_refused(literal: str, code: str) -> None:
    assert problems(f'{{"amount": {literal}}}') == {("amount", code)}


@pytest.mark.parametrize(
    ("field", "literal", "code"),
    [
        ("seconds", "59", "out_of_range"),
        ("seconds", "2592001", "out_of_range"),
        ("seconds", "99999999999999999999", "out_of_range"),
        ("seconds", "-99999999999999999999", "out_of_range"),
        ("seconds", "60.0", "type"),
        ("seconds", "6e1", "type"),
        ("seconds", "true", "type"),
        ("seconds", '"60"', "type"),
        ("reason", "5", "type"),
        ("reason", "false", "type"),
        ("reason", "[]", "type"),
        ("reason", '"abcdef"', "too_long"),
        ("email", '"nobody"', "format"),
        ("email", "1", "type"),
        ("enabled", '"true"', "type"),
        ("enabled", "1", "type"),
        ("enabled", "0", "type"),
        ("events", '"settled"', "type"),
        ("events", "{}", "type"),
        ("events", "[]", "format"),
    ],
)
def test_other_fields_that_are_refused(field: str, literal: str, code: str) -> None:
    assert problems(f'{{"amount": 25, "{field}": {literal}}}') == {(field, code)}


@pytest.mark.spec("Contract 5.3")
def test_every_problem_is_listed_with_its_place() -> None:
    body = '{"seconds": 1, "reason": 5, "events": ["abc", "abcd", 7]}'
    assert problems(body) == {
        ("amount", "required"),
        ("seconds", "out_of_range"),
        ("reason", "type"),
        ("events.1", "too_long"),
        ("events.2", "type"),
    }


@pytest.mark.spec("Contract 21.3")
def test_unknown_fields_are_named() -> None:
    assert problems('{"amount": 25, "amonut": 25, "x": {}}') == {("amonut", "unknown_field"), ("x", "unknown_field")}


def test_a_flood_of_problems_is_cut() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        check_body(Order, {f"key{number}" * 100: 1 for number in range(10_000)})
    assert len(refusal.value.details["fields"]) == 50
    assert max(len(problem["field"]) for problem in refusal.value.details["fields"]) == 64


def test_integers_stay_integers() -> None:
    checked = check_body(Order, parse_exactly(b'{"amount": 25, "seconds": 60, "enabled": false, "reason": "abc"}'))
    assert checked == {"amount": Decimal(25), "seconds": 60, "enabled": False, "reason": "abc"}
    assert type(checked["seconds"]) is int
