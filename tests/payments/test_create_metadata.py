"""Metadata of an intent: what a merchant puts in comes back digit by digit, and its limits are exact."""

import json
from decimal import Decimal
from typing import Any

import pytest

from payments.scenarios import scenarios
from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from webhooks.models import Event


def digits(raw: bytes) -> Any:
    """JSON with every number as it is written."""
    return json.loads(raw, parse_float=lambda text: ("number", text), parse_int=lambda text: ("number", text))


def created(api: ApiClient, metadata: str) -> Reply:
    return api.post("/payment-intents", b'{"amount":25,"metadata":' + metadata.encode() + b"}")


@pytest.mark.spec("Contract 12.1; Create body: metadata, free-form")
@pytest.mark.parametrize(
    "metadata",
    [
        "{}",
        '{"price":1.50}',
        '{"price":0.10,"rate":100.00,"zero":0.0}',
        '{"small":0.000001,"long":3.14159265358979323846264338327950288}',
        '{"whole":9223372036854775807,"negative":-9223372036854775808,"minus":-1.50}',
        f'{{"n":{2**63},"m":{-(2**63) - 1},"o":{2**64},"p":[{10**100}]}}',
        '{"zebra":1,"a":2,"middle":3}',
        '{"text":"1.50","true":true,"false":false,"null":null,"empty":"","list":[1,1.0,"1",[]],"deep":{"a":{"b":1}}}',
        '{"emoji":"😀","umlaut":"ü","quote":"\\"","slash":"\\\\","tab":"\\t","line":"a\\nb"}',
        '{"0":"a","1.5":"b","null":"c"," ":"d"}',
    ],
)
def test_metadata_comes_back_digit_by_digit(api: ApiClient, metadata: str) -> None:
    sent = digits(metadata.encode())
    reply = created(api, metadata)
    assert reply.status == 201
    assert digits(reply.raw)["metadata"] == sent
    assert digits(api.get(f"/payment-intents/{reply.body['id']}").raw)["metadata"] == sent
    assert digits(api.get("/payment-intents").raw)["data"][0]["metadata"] == sent
    assert digits(Event.objects.get().payload.encode())["data"]["metadata"] == sent


@pytest.mark.spec("Create body: metadata, free-form")
def test_numbers_with_exponents_keep_their_value(api: ApiClient) -> None:
    for number in ("1e30", "1E+2", "1e-30", "1.5e299", "25e-1", "-0.0", "1e15", "0.000000000000001"):
        reply = created(api, f'{{"n":{number}}}')
        for raw in (reply.raw, api.get(f"/payment-intents/{reply.body['id']}").raw):
            assert json.loads(raw, parse_float=Decimal)["metadata"] == {"n": Decimal(number)}


def many(count: int) -> str:
    return json.dumps({f"k{number}": number for number in range(count)})


def of_size(size: int) -> str:
    return json.dumps({"k": "a" * (size - len('{"k":""}'))}, separators=(",", ":"))


BEYOND: list[tuple[str, int, list[str]]] = [
    ("keys", 50, [many(51)]),
    ("key_length", 64, [f'{{"{"k" * 65}":1}}', '{"":1}']),
    ("depth", 4, ['{"a":{"b":{"c":{"d":{}}}}}', '{"a":[[[[]]]]}', f'{{"a":{"[" * 30}{"]" * 30}}}']),
    ("bytes", 16_384, [of_size(16 * 1024 + 1), f'{{"a":"{"ü" * 8190}"}}']),
]


AT_THE_LIMIT = (
    *(many(50), f'{{"{"k" * 64}":1}}', f'{{"{"ü" * 64}":1}}', '{"a":{"b":{"c":{"d":1}}}}', '{"a":[[["d"]]]}'),
    of_size(16 * 1024),
)


@pytest.mark.spec("Contract 12.1; Limits: size of metadata (our limits)")
def test_metadata_at_and_beyond_its_limits(api: ApiClient) -> None:
    assert [metadata[:80] for metadata in AT_THE_LIMIT if created(api, metadata).status != 201] == []
    before = all_rows()
    for limit, maximum, texts in BEYOND:
        for metadata in texts:
            reply = created(api, metadata)
            assert (reply.status, reply.body["code"]) == (400, "metadata_invalid"), metadata[:80]
            assert reply.body["details"] == {"limit": limit, "maximum": maximum}
    assert all_rows() == before


def test_a_scenario_that_test_mode_does_not_know_is_refused_with_those_it_knows(api: ApiClient) -> None:
    """A test that plays nothing would settle, and be taken for one that passed."""
    before = all_rows()
    for asked in ("typo", "Fail", "", 7, True, ["fail"], {"a": "fail"}):
        reply = api.post("/payment-intents", {"amount": 25, "metadata": {"simulate": asked}})
        assert (reply.status, reply.body["code"]) == (400, "invalid_request")
        [problem] = reply.body["details"]["fields"]
        assert (problem["field"], problem["code"]) == ("metadata.simulate", "unknown_value")
        assert problem["message"] == f"Must be among {', '.join(scenarios())}."
    assert all_rows() == before
    for known in (None, "fail"):
        assert api.post("/payment-intents", {"amount": 25, "metadata": {"simulate": known}}).status == 201


def test_in_live_mode_the_word_is_the_merchants_own(live_api: ApiClient) -> None:
    place = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}
    reply = live_api.post("/payment-intents", {"amount": 25, **place, "metadata": {"simulate": "typo"}})
    assert (reply.status, reply.body["metadata"]) == (201, {"simulate": "typo"})
