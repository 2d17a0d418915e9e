"""The check itself: it is on, it knows every path, and it notices what is wrong."""

import orjson
import pytest
from django.test import Client

from tests.conftest import ApiClient
from tests.contract.conformity import Nonconforming, document, find_operation, problem_of
from tests.payments.world import create

INTENT = "/api/public/v1/payment-intents/5b1f6bb8-43bc-4e6e-9d3a-000000000000"
JSON = "application/json"


def test_the_plugin_is_on(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin("tests.contract.conformity")
    assert Client.request.__name__ == "ask_and_check"


@pytest.mark.spec("Endpoints: every one is described")
@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/api/public/health", "getHealth"),
        ("POST", "/api/public/v1/payment-intents", "createPaymentIntent"),
        ("GET", "/api/public/v1/payment-intents", "listPaymentIntents"),
        ("GET", INTENT, "getPaymentIntent"),
        ("GET", INTENT.replace("payment-intents/", "payment-intents/pi_"), "getPaymentIntent"),
        ("POST", f"{INTENT}/cancel", "cancelPaymentIntent"),
        ("GET", f"{INTENT}/transactions", "listPaymentIntentTransactions"),
        ("GET", f"{INTENT}/routing", "listPaymentIntentRoutes"),
        ("GET", "/api/public/v1/payouts", "listPayouts"),
        ("GET", "/api/public/v1/payouts/x", "getPayout"),
        ("POST", "/api/public/v1/payouts/x/replay", "replayPayout"),
        ("GET", "/api/public/v1/checkout/x", "getCheckout"),
        ("GET", "/api/public/v1/checkout/x/state", "getCheckoutState"),
        ("POST", "/api/public/v1/checkout/x/session", "openCheckoutSession"),
        ("POST", "/api/public/v1/checkout/x/wallet", "connectCheckoutWallet"),
        ("POST", "/api/public/v1/checkout/x/quote", "requestCheckoutQuote"),
        ("POST", "/api/public/v1/checkout/x/start", "startCheckoutAttempt"),
        ("POST", "/api/public/v1/checkout/x/submitted", "reportCheckoutTransaction"),
        ("POST", "/api/public/v1/checkout/x/rejected", "rejectCheckoutAttempt"),
        ("POST", "/api/public/v1/checkout/x/simulated-wallet/transactions", "sendSimulatedTransaction"),
        ("POST", "/api/public/v1/test-helpers/clock/advance", "advanceTestClock"),
        ("POST", "/api/public/v1/test-helpers/payment-intents/x/pay", "payTestPaymentIntent"),
        ("GET", "/api/public/v1/tokens", "listTokens"),
        ("POST", "/api/public/v1/refunds", "createRefund"),
        ("GET", "/api/public/v1/refunds", "listRefunds"),
        ("GET", "/api/public/v1/refunds/x", "getRefund"),
        ("POST", "/api/public/v1/refunds/x/cancel", "cancelRefund"),
        ("POST", "/api/public/v1/refunds/x/destination", "setRefundDestination"),
        ("GET", "/api/public/refunds/x/status", "getRefundStatus"),
    ],
)
def test_paths_are_found(method: str, path: str, name: str) -> None:
    operation = find_operation(method, path)
    assert operation is not None
    assert operation.name == name


def test_every_described_operation_is_found() -> None:
    for path, methods in document()["paths"].items():
        for method, described in methods.items():
            found = find_operation(method, path)
            assert found is not None
            assert found.name == described["operationId"]


def test_a_good_answer_passes(api: ApiClient) -> None:
    body = orjson.dumps(create(api))
    assert problem_of("GET", INTENT, 200, JSON, body) is None


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"status": "paid"}, "paid"),
        ({"amount": 25}, "25"),
        ({"id": "x"}, "uuid"),
        ({"created_at": "yesterday"}, "date-time"),
        ({"partially_funded": None}, "null"),
        ({"last_error": {"code": "x"}}, "last_error"),
        ({"metadata": []}, "object"),
    ],
)
def test_a_wrong_value_is_noticed(api: ApiClient, changes: dict[str, object], named: str) -> None:
    problem = problem_of("GET", INTENT, 200, JSON, orjson.dumps(create(api) | changes))
    assert problem is not None
    assert problem.startswith("getPaymentIntent, 200: ")
    assert named in problem


def test_a_missing_key_is_noticed(api: ApiClient) -> None:
    body = create(api)
    del body["checkout_url"]
    assert "checkout_url" in str(problem_of("GET", INTENT, 200, JSON, orjson.dumps(body)))


def test_undescribed_answers_are_noticed() -> None:
    assert problem_of("GET", INTENT, 418, JSON, b"{}") == "getPaymentIntent answered 418, which is not described"
    assert problem_of("GET", INTENT, 404, "text/html", b"") == "getPaymentIntent answered 404 as 'text/html'"
    assert "code" in str(problem_of("GET", INTENT, 404, JSON, b'{"error":"x","details":{},"request_id":"y"}'))
    assert problem_of("GET", "/api/public/v1/checkout/x", 304, "", b"x") == "getCheckout answered 304 with a body"


def test_paths_that_are_not_described_are_let_through() -> None:
    assert problem_of("GET", "/api/public/v1/nothing", 404, "text/html", b"") is None
    assert problem_of("DELETE", INTENT, 405, JSON, b"{}") is None


@pytest.mark.spec("Contract 19.1")
def test_a_wrong_answer_fails_the_test_that_got_it(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    operation = find_operation("GET", INTENT)
    assert operation is not None
    monkeypatch.delitem(operation.answers, "404")
    with pytest.raises(Nonconforming, match="getPaymentIntent answered 404"):
        api.get("/payment-intents/x")
