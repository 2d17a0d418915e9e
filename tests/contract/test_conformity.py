"""The check itself: it is on, it knows every path, and it notices what is wrong."""

from typing import Any

import orjson
import pytest
from django.test import Client

from tests.conftest import ApiClient
from tests.contract.conformity import Nonconforming, document, find_operation, header_problem_of, problem_of
from tests.payments.world import create

INTENT = "/api/public/v1/payment-intents/5b1f6bb8-43bc-4e6e-9d3a-000000000000"
JSON = "application/json"


@pytest.mark.spec("Contract 19.1")
def test_the_plugin_is_on_and_a_wrong_answer_fails_the_test_that_got_it(
    pytestconfig: pytest.Config, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pytestconfig.pluginmanager.has_plugin("tests.contract.conformity")
    assert Client.request.__name__ == "ask_and_check"
    operation = find_operation("GET", INTENT)
    assert operation is not None
    monkeypatch.delitem(operation.answers, "404")
    with pytest.raises(Nonconforming, match="getPaymentIntent answered 404"):
        api.get("/payment-intents/x")


@pytest.mark.spec("Endpoints: every one is described")
def test_every_described_operation_is_found_whatever_ids_its_path_holds() -> None:
    paths = {
        ("GET", INTENT.replace("payment-intents/", "payment-intents/pi_")): "getPaymentIntent",
        ("POST", "/api/public/v1/payouts/x/replay"): "replayPayout",
        ("GET", "/api/public/refunds/x/status"): "getRefundStatus",
    }
    for path, methods in document()["paths"].items():
        paths |= {(method, path): described["operationId"] for method, described in methods.items()}
    for (method, path), name in paths.items():
        operation = find_operation(method, path)
        assert operation is not None, path
        assert operation.name == name
    assert len(set(paths.values())) >= 29
    assert problem_of("GET", "/api/public/v1/nothing", 404, "text/html", b"") is None
    assert problem_of("DELETE", INTENT, 405, JSON, b"{}") is None


def test_a_good_answer_passes_and_a_wrong_value_or_a_missing_key_is_noticed(api: ApiClient) -> None:
    good = create(api)
    assert problem_of("GET", INTENT, 200, JSON, orjson.dumps(good)) is None
    wrong: list[tuple[dict[str, Any], str]] = [
        *(({"status": "paid"}, "paid"), ({"amount": 25}, "25"), ({"id": "x"}, "uuid"), ({"metadata": []}, "object")),
        *(({"created_at": "yesterday"}, "date-time"), ({"partially_funded": None}, "null")),
        ({"last_error": {"code": "x"}}, "last_error"),
    ]
    for changes, named in wrong:
        problem = problem_of("GET", INTENT, 200, JSON, orjson.dumps(good | changes))
        assert problem is not None, changes
        assert problem.startswith("getPaymentIntent, 200: ")
        assert named in problem
    del good["checkout_url"]
    assert "checkout_url" in str(problem_of("GET", INTENT, 200, JSON, orjson.dumps(good)))


def test_undescribed_answers_are_noticed() -> None:
    assert problem_of("GET", INTENT, 418, JSON, b"{}") == "getPaymentIntent answered 418, which is not described"
    assert problem_of("GET", INTENT, 404, "text/html", b"") == "getPaymentIntent answered 404 as 'text/html'"
    assert "code" in str(problem_of("GET", INTENT, 404, JSON, b'{"error":"x","details":{},"request_id":"y"}'))
    assert problem_of("GET", "/api/public/v1/checkout/x", 304, "", b"x") == "getCheckout answered 304 with a body"


def test_a_code_that_its_operation_does_not_declare_is_noticed() -> None:
    body = b'{"error":"x","code":"%s","details":{},"request_id":"y","doc_url":"https://x.example/docs"}'
    refused = "getPaymentIntent refused with quote_expired, which it does not declare"
    assert problem_of("GET", INTENT, 404, JSON, body % b"quote_expired") == refused
    assert problem_of("GET", INTENT, 404, JSON, body % b"not_found") is None
    assert "made_up" in str(problem_of("GET", INTENT, 404, JSON, body % b"made_up"))


def test_a_header_that_is_not_described_or_misses_is_noticed() -> None:
    named = {"Request-Id": "req_1", "RateLimit-Limit": "100"}

    def problem(**headers: str) -> str | None:
        told = named | {name.replace("_", "-"): value for name, value in headers.items()}
        return header_problem_of("GET", INTENT, 404, {name: value for name, value in told.items() if value})

    assert problem() is None
    assert problem(Retry_After="3") == "getPaymentIntent answered 404 with Retry-After, which is not described"
    assert problem(Request_Id="") == "getPaymentIntent answered 404 without Request-Id"
    assert problem(RateLimit_Limit="many") == "getPaymentIntent answered 404 with RateLimit-Limit: many"
