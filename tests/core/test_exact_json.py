"""Free-form JSON keeps every digit, through the parser, the database and the answer, and no body is read too deep."""

import json
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidJson
from core.exact_json import ExactDecoder, ExactEncoder
from core.parsers import MAX_DEPTH, parse_exactly
from core.renderers import to_canonical_json, to_json
from tests.conftest import ApiClient

NUMBERS = st.integers(min_value=-(10**40), max_value=10**40) | st.decimals(
    min_value=-(10**20), max_value=10**20, places=12
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.spec("Contract 1.5")
@given(VALUES)
def test_what_is_written_is_read_again(value: Any) -> None:
    text = json.dumps({"value": value}, cls=ExactEncoder)
    kept = json.loads(text, cls=ExactDecoder)
    assert kept == {"value": value} == parse_exactly(text.encode())
    assert parse_exactly(to_json(kept)) == parse_exactly(to_canonical_json(kept)) == kept


@given(st.binary(max_size=200))
def test_random_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        parsed = parse_exactly(body)
    except InvalidJson:
        return
    assert isinstance(parsed, dict)


METADATA = (
    '{"price": 1.50, "tiny": 0.000000000000000001, "large": 123456789012345678901234567890, "negative": -0.10, '
    '"exponent": 1.5e3, "whole": 7, "limit": 9007199254740993, "beyond": 18446744073709551616, "yes": true, '
    '"no": null, "text": "1.50", "emoji": "\U0001f4b8", "nested": {"list": [0.1, [2.20]]}}'
)


@pytest.mark.spec("Contract 1.5")
@pytest.mark.spec("PaymentIntent: metadata, free-form keys and values")
def test_metadata_keeps_its_digits(api: ApiClient) -> None:
    created = api.post("/payment-intents", f'{{"amount": 25, "metadata": {METADATA}}}'.encode())
    assert created.status == 201, created.body
    read = api.get(f"/payment-intents/{created.body['id']}")
    for answer in (created, read):
        metadata = parse_exactly(answer.raw)["metadata"]
        assert metadata == parse_exactly(METADATA.encode())
        assert b'"tiny":0.000000000000000001' in answer.raw or b'"tiny":1E-18' in answer.raw
        assert b'"large":123456789012345678901234567890' in answer.raw


@pytest.mark.spec("Rulings A1.3")
def test_decimals_are_sent_as_numbers_and_what_has_no_exact_form_is_not() -> None:
    assert to_json({"score": Decimal("0.10"), "amount": Decimal("1E+2")}) == b'{"score":0.10,"amount":1E+2}'
    values: list[Any] = [0.1, {"a": [0.1]}, object(), {1, 2}]
    for value in values:
        with pytest.raises(TypeError, match="cannot be written exactly"):
            json.dumps({"value": value}, cls=ExactEncoder)
    with pytest.raises(TypeError):
        to_json({"value": object()})
    bodies = (b'{"b": [1, 2.50], "a": {"d": 1, "c": 2}}', b'{"a":{"c":2,"d":1},"b":[1,2.50]}')
    assert {to_canonical_json(parse_exactly(body)) for body in bodies} == {b'{"a":{"c":2,"d":1},"b":[1,2.50]}'}


RAISED = 100_000


def test_a_deep_body_is_refused_before_it_is_read_however_far_a_library_has_raised_the_limit() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(RAISED)
    try:
        for body in (b"[" * RAISED, b'{"a":' * RAISED, b'{"a":[' * RAISED + b"]}" * RAISED):
            with pytest.raises(InvalidJson) as refused:
                parse_exactly(body)
            assert refused.value.details == {"reason": "too_deep"}
        for text in ("[" * RAISED, '\\"' + "[" * RAISED, "\\\\\\\\" + "{" * RAISED):  # inside strings they do not count
            assert len(parse_exactly(b'{"a": "' + text.encode() + b'"}')["a"]) >= RAISED
        assert list(parse_exactly(b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH)) == ["a"]
    finally:
        sys.setrecursionlimit(limit)
