"""Every refusal in the specification's Errors and Limits tables: its status, its code, and that nothing changed.

Those of refunds stand in tests/refunds. 401 for every operation and every caller stands in tests/authorization.
"""

from typing import Any

import pytest
from pytest_django import Settings

from core.rate_limits import buckets
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.payouts import stored_payout
from tests.factories.rows import all_rows
from tests.payments.world import create

NOWHERE = "00000000-0000-4000-8000-000000000000"
ENDPOINT = {"url": "https://93.184.215.14/hook", "events": ["*"]}
MINUTE = 60


def fields_of(reply: Reply) -> list[tuple[str, str]]:
    """Which fields were refused, and why."""
    return [(problem["field"], problem["code"]) for problem in reply.body["details"]["fields"]]


@pytest.mark.parametrize(
    ("body", "field", "why"),
    [
        pytest.param({}, "amount", "required", marks=pytest.mark.spec("Errors: 400 create intent")),
        pytest.param({"amount": "25"}, "amount", "type", marks=pytest.mark.spec("Errors: 400 create intent")),
        pytest.param({"amount": 0.009}, "amount", "out_of_range", marks=pytest.mark.spec("Limits: amount")),
        pytest.param({"amount": 0}, "amount", "out_of_range", marks=pytest.mark.spec("Limits: amount")),
        pytest.param({"amount": 1000000.01}, "amount", "out_of_range", marks=pytest.mark.spec("Limits: amount")),
        pytest.param({"amount": 1000001}, "amount", "out_of_range", marks=pytest.mark.spec("Limits: amount")),
        *(
            pytest.param(
                {"amount": 25, "expires_in_seconds": seconds},
                "expires_in_seconds",
                "out_of_range",
                marks=pytest.mark.spec("Limits: expires_in_seconds"),
            )
            for seconds in (0, 59, 2592001)
        ),
        pytest.param(
            {"amount": 25, "customer_email": "nobody"},
            "customer_email",
            "format",
            marks=pytest.mark.spec("Create body: customer_email"),
        ),
    ],
)
def test_a_field_that_create_refuses(body: dict[str, Any], field: str, why: str, api: ApiClient) -> None:
    before = all_rows()
    reply = api.post("/payment-intents", body, Idempotency_Key="order-1")
    assert_refused(reply, 400, "invalid_request")
    assert fields_of(reply) == [(field, why)]
    assert all_rows() == before


@pytest.mark.spec("Limits: amount")
@pytest.mark.spec("Limits: expires_in_seconds")
@pytest.mark.parametrize(("amount", "seconds"), [(0.01, 60), (1000000, 2592000)])
def test_the_limits_themselves_are_taken(amount: float, seconds: int, api: ApiClient) -> None:
    assert api.post("/payment-intents", {"amount": amount, "expires_in_seconds": seconds}).status == 201


@pytest.mark.spec("Contract 5.9; Contract 12.1")
@pytest.mark.spec("Limits: metadata (not shown)")
@pytest.mark.parametrize(
    ("metadata", "limit"),
    [
        ({f"k{number}": 1 for number in range(51)}, "keys"),
        ({"k" * 65: 1}, "key_length"),
        ({"a": {"b": {"c": {"d": {}}}}}, "depth"),
        ({"a": "x" * 16 * 1024}, "bytes"),
    ],
)
def test_metadata_beyond_its_limits(metadata: dict[str, Any], limit: str, api: ApiClient) -> None:
    before = all_rows()
    reply = api.post("/payment-intents", {"amount": 25, "metadata": metadata})
    assert_refused(reply, 400, "metadata_invalid")
    assert reply.body["details"]["limit"] == limit
    assert all_rows() == before


@pytest.mark.spec("Limits: Idempotency-Key length")
@pytest.mark.parametrize("path", ["/payment-intents", "/payment-intents/{}/cancel", "/webhook-endpoints"])
@pytest.mark.parametrize("key", ["", "k" * 256, "k" * 10_000])
def test_an_idempotency_key_that_is_too_long(path: str, key: str, api: ApiClient) -> None:
    intent = create(api)
    before = all_rows()
    body = ENDPOINT if "webhook" in path else {"amount": 25} if path == "/payment-intents" else {}
    assert_refused(api.post(path.format(intent["id"]), body, Idempotency_Key=key), 400, "idempotency_key_invalid")
    assert all_rows() == before


@pytest.mark.spec("Contract 6.2")
@pytest.mark.spec("Limits: list limit")
@pytest.mark.parametrize("limit", ["0", "-1", "101", "1000000", "abc", ""])
def test_a_list_limit_out_of_bounds(limit: str, api: ApiClient) -> None:
    create(api)
    before = all_rows()
    reply = api.get(f"/payment-intents?limit={limit}")
    assert_refused(reply, 400, "invalid_parameter")
    assert reply.body["details"] == {"parameter": "limit"}
    assert all_rows() == before


@pytest.mark.spec("Limits: list refunds and payouts")
@pytest.mark.parametrize("path", ["/payouts"])
@pytest.mark.parametrize("limit", ["0", "-1", "201", "1000000", "abc", ""])
def test_a_longer_list_s_limit_out_of_bounds(path: str, limit: str, api: ApiClient) -> None:
    stored_payout(create(api)["id"])
    before = all_rows()
    reply = api.get(f"{path}?limit={limit}")
    assert_refused(reply, 400, "invalid_parameter")
    assert reply.body["details"] == {"parameter": "limit"}
    assert all_rows() == before


@pytest.mark.spec("Contract 5.14")
@pytest.mark.spec("Errors: 404")
@pytest.mark.parametrize(
    ("method", "path", "resource"),
    [
        ("GET", "/payment-intents/{}", "payment_intent"),
        ("GET", "/payment-intents/{}/routing", "payment_intent"),
        ("GET", "/payment-intents/{}/transactions", "payment_intent"),
        ("POST", "/payment-intents/{}/cancel", "payment_intent"),
        ("GET", "/checkout/{}", "payment_intent"),
        ("GET", "/webhook-endpoints/{}", "webhook_endpoint"),
        ("PATCH", "/webhook-endpoints/{}", "webhook_endpoint"),
        ("DELETE", "/webhook-endpoints/{}", "webhook_endpoint"),
        ("GET", "/payouts/{}", "payout"),
        ("POST", "/payouts/{}/replay", "payout"),
        ("POST", "/webhook-endpoints/{}/rotate-secret", "webhook_endpoint"),
    ],
)
@pytest.mark.parametrize("written", [NOWHERE, "nonsense", "pi_nonsense"])
def test_what_does_not_exist(method: str, path: str, resource: str, written: str, api: ApiClient) -> None:
    create(api)
    before = all_rows()
    reply = api.send(method, path.format(written), {} if method in {"POST", "PATCH"} else None)
    assert_refused(reply, 404, "not_found")
    assert reply.body["details"] == {"resource": resource}
    assert all_rows() == before


@pytest.mark.spec("Contract 5.16")
@pytest.mark.spec("Errors: 409 idempotency")
@pytest.mark.spec("Idempotency on create")
@pytest.mark.parametrize("other", [{"amount": 26}, {"amount": 25, "reference": "x"}, {"amount": 25, "metadata": {}}])
def test_an_idempotency_key_with_another_body(other: dict[str, Any], api: ApiClient) -> None:
    first = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="order-1")
    before = all_rows()
    assert_refused(api.post("/payment-intents", other, Idempotency_Key="order-1"), 409, "idempotency_key_reused")
    assert all_rows() == before
    assert api.post("/payment-intents", {"amount": 25}, Idempotency_Key="order-1").raw == first.raw


@pytest.mark.spec("Errors: 409 cancel")
def test_a_second_cancel(api: ApiClient) -> None:
    intent = create(api)
    assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 200
    before = all_rows()
    reply = api.post(f"/payment-intents/{intent['id']}/cancel")
    assert_refused(reply, 409, "intent_not_cancellable")
    assert reply.body["details"]["status"] == "cancelled"
    assert all_rows() == before


@pytest.mark.spec("Errors: 409 and 422 of refunds and payouts")
@pytest.mark.spec("States: payout")
def test_a_replay_of_a_payout_that_did_not_fail(api: ApiClient) -> None:
    payout = stored_payout(create(api)["id"])
    before = all_rows()
    reply = api.post(f"/payouts/{payout.pk}/replay", Idempotency_Key="order-1")
    assert_refused(reply, 409, "payout_not_replayable")
    assert reply.body["details"] == {"status": "queued", "replayable_from": ["failed"]}
    assert all_rows() == before


@pytest.mark.spec("Contract 5.17; Contract 12.2")
@pytest.mark.spec("Limits: number of webhook endpoints (not shown)")
def test_the_seventeenth_endpoint(api: ApiClient) -> None:
    for _ in range(16):
        assert api.post("/webhook-endpoints", ENDPOINT).status == 201
    before = all_rows()
    reply = api.post("/webhook-endpoints", ENDPOINT)
    assert_refused(reply, 409, "webhook_endpoint_limit")
    assert reply.body["details"] == {"limit": 16}
    assert all_rows() == before


@pytest.mark.spec("Errors: 429")
def test_creating_too_fast(api: ApiClient, settings: Settings) -> None:
    """With limits so low that the second request is one too many; how many are shipped is told elsewhere."""
    settings.RATE_LIMIT_SCALE = 0.01
    buckets.cache_clear()
    assert api.post("/payment-intents", {"amount": 25}).status == 201
    before = all_rows()
    reply = api.post("/payment-intents", {"amount": 25}, Idempotency_Key="order-1")
    assert_refused(reply, 429, "rate_limited")
    assert int(reply.headers["Retry-After"]) == reply.body["details"]["retry_after_seconds"] >= 1
    assert all_rows() == before


@pytest.mark.spec("Limits: suggested polling interval")
@pytest.mark.parametrize(("path", "polls"), [("/checkout/{}", 2 * MINUTE // 2), ("/payment-intents/{}", MINUTE // 3)])
def test_a_minute_or_two_of_polling_at_once_is_not_refused(
    path: str, polls: int, api: ApiClient, settings: Settings
) -> None:
    intent = create(api)
    settings.RATE_LIMIT_SCALE = 1
    buckets.cache_clear()
    assert {api.get(path.format(intent["id"])).status for _ in range(polls)} == {200}
