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
    amount = UsdAmountField(minimum=Decimal("0.01"), maximum=Decimal(1_000_000))
    seconds = StrictIntegerField(required=False, min_value=60, max_value=2_592_000)
    reason = StrictStringField(required=False, max_length=5)
    email = StrictEmailField(required=False, max_length=254)
    enabled = StrictBooleanField(required=False)
    events = serializers.ListField(child=StrictStringField(max_length=3), required=False, allow_empty=False)


def problems(body: str) -> set[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as refusal:
        check_body(Order, parse_exactly(body.encode()))
    return {(problem["field"], problem["code"]) for problem in refusal.value.details["fields"]}


def amount(literal: str) -> Any:
    return check_body(Order, parse_exactly(f'{{"amount": {literal}}}'.encode()))["amount"]


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
def test_amounts_are_exact() -> None:
    exact = {"0.01": "0.01", "1000000": "1000000", "1000000.00": "1000000", "25.10": "25.1", "1e2": "100"}
    exact |= {"2.5E1": "25", "0.1e-1": "0.01", "33.330000000000000000000000000": "33.33"}
    assert {literal: amount(literal) for literal in exact} == {key: Decimal(value) for key, value in exact.items()}


REFUSED = {
    ("amount", "out_of_range"): ("0.009", "0", "-1", "1000000.01", "1e300", "9" * 40),
    ("amount", "precision"): ("25.001", "0.019999999999999999999999999999999"),
    ("amount", "type"): ('"25"', '"1e5"', '"٢٥"', "true", "[25]", "{}", "null"),
    ("seconds", "out_of_range"): ("59", "2592001", "99999999999999999999", "-99999999999999999999"),
    ("seconds", "type"): ("60.0", "6e1", "true", '"60"'),
    ("reason", "type"): ("5", "false", "[]"),
    ("reason", "too_long"): ('"abcdef"',),
    ("email", "format"): ('"nobody"',),
    ("email", "type"): ("1",),
    ("enabled", "type"): ('"true"', "1", "0"),
    ("events", "type"): ('"settled"', "{}"),
    ("events", "format"): ("[]",),
}
"""By field and code, what is refused so."""


@pytest.mark.spec("Limits: amount 0.01 to 1000000")
def test_what_a_field_refuses() -> None:
    for (field, code), literals in REFUSED.items():
        for literal in literals:
            body = f'{{"{field}": {literal}}}' if field == "amount" else f'{{"amount": 25, "{field}": {literal}}}'
            assert problems(body) == {(field, code)}, (field, literal)


@pytest.mark.spec("Contract 5.3; Contract 21.3")
def test_every_problem_is_listed_with_its_place_and_a_flood_is_cut() -> None:
    assert problems('{"seconds": 1, "reason": 5, "events": ["abc", "abcd", 7]}') == {
        *(("amount", "required"), ("seconds", "out_of_range"), ("reason", "type")),
        *(("events.1", "too_long"), ("events.2", "type")),
    }
    assert problems('{"amount": 25, "amonut": 25, "x": {}}') == {("amonut", "unknown_field"), ("x", "unknown_field")}
    with pytest.raises(InvalidRequest) as refusal:
        check_body(Order, {f"key{number}" * 100: 1 for number in range(10_000)})
    assert len(refusal.value.details["fields"]) == 50
    assert max(len(problem["field"]) for problem in refusal.value.details["fields"]) == 64


def test_integers_stay_integers() -> None:
    checked = check_body(Order, parse_exactly(b'{"amount": 25, "seconds": 60, "enabled": false, "reason": "abc"}'))
    assert checked == {"amount": Decimal(25), "seconds": 60, "enabled": False, "reason": "abc"}
    assert type(checked["seconds"]) is int
