"""Every refusal in the specification's Errors and Limits tables: its status, its code, and that nothing changed.

Those of refunds stand in tests/refunds. 401 for every operation and every caller stands in tests/authorization.
"""

from itertools import product
from typing import Any

import pytest
from pytest_django import Settings

from core import rate_limits
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.payouts import stored_payout
from tests.factories.rows import all_rows
from tests.payments.world import create

NOWHERE = "00000000-0000-4000-8000-000000000000"
ENDPOINT = {"url": "https://93.184.215.14/hook", "events": ["*"]}
MINUTE = 60


WRONG_FIELDS: list[tuple[dict[str, Any], str, str]] = [
    ({}, "amount", "required"),
    ({"amount": "25"}, "amount", "type"),
    *(({"amount": amount}, "amount", "out_of_range") for amount in (0.009, 0, 1000000.01, 1000001)),
    *(({"amount": 25, "expires_in_seconds": n}, "expires_in_seconds", "out_of_range") for n in (0, 59, 2592001)),
    ({"amount": 25, "customer_email": "nobody"}, "customer_email", "format"),
]


@pytest.mark.spec("Errors: 400 create intent")
@pytest.mark.spec("Limits: amount")
@pytest.mark.spec("Limits: expires_in_seconds")
@pytest.mark.spec("Create body: customer_email")
def test_a_field_that_create_refuses_and_limits_that_are_taken(api: ApiClient) -> None:
    before = all_rows()
    for body, field, why in WRONG_FIELDS:
        reply = api.post("/payment-intents", body, Idempotency_Key="order-1")
        assert_refused(reply, 400, "invalid_request")
        assert [(problem["field"], problem["code"]) for problem in reply.body["details"]["fields"]] == [(field, why)]
    assert all_rows() == before
    bodies = [{"amount": amount, "expires_in_seconds": n} for amount, n in ((0.01, 60), (1000000, 2592000))]
    assert [api.post("/payment-intents", body).status for body in bodies] == [201, 201]


@pytest.mark.spec("Contract 5.9; Contract 12.1")
@pytest.mark.spec("Limits: metadata (not shown)")
def test_metadata_beyond_its_limits(api: ApiClient) -> None:
    beyond: dict[str, dict[str, Any]] = {
        "keys": {f"k{number}": 1 for number in range(51)},
        "key_length": {"k" * 65: 1},
        "depth": {"a": {"b": {"c": {"d": {}}}}},
        "bytes": {"a": "x" * 16 * 1024},
    }
    before = all_rows()
    for limit, metadata in beyond.items():
        reply = api.post("/payment-intents", {"amount": 25, "metadata": metadata})
        assert_refused(reply, 400, "metadata_invalid")
        assert reply.body["details"]["limit"] == limit
    assert all_rows() == before


@pytest.mark.spec("Contract 6.2")
@pytest.mark.spec("Limits: list limit")
@pytest.mark.spec("Limits: list refunds and payouts")
def test_a_list_limit_out_of_bounds(api: ApiClient) -> None:
    stored_payout(create(api)["id"])
    before = all_rows()
    for path, most in (("/payment-intents", 100), ("/payouts", 200)):
        for limit in ("0", "-1", str(most + 1), "1000000", "abc", ""):
            reply = api.get(f"{path}?limit={limit}")
            assert_refused(reply, 400, "invalid_parameter")
            assert reply.body["details"] == {"parameter": "limit"}
    assert all_rows() == before


PATHS = {
    "payment_intent": (
        *("GET /payment-intents/{}", "GET /payment-intents/{}/routing", "GET /payment-intents/{}/transactions"),
        *("POST /payment-intents/{}/cancel", "GET /checkout/{}"),
    ),
    "webhook_endpoint": (
        *("GET /webhook-endpoints/{}", "PATCH /webhook-endpoints/{}", "DELETE /webhook-endpoints/{}"),
        *("POST /webhook-endpoints/{}/rotate-secret", "GET /webhook-endpoints/{}/deliveries"),
        f"POST /webhook-endpoints/{{}}/deliveries/{NOWHERE}/resend",
    ),
    "payout": ("GET /payouts/{}", "POST /payouts/{}/replay"),
}


@pytest.mark.spec("Contract 5.14")
@pytest.mark.spec("Errors: 404")
def test_what_does_not_exist(api: ApiClient) -> None:
    create(api)
    before = all_rows()
    for resource, asked in PATHS.items():
        for one, written in product(asked, (NOWHERE, "nonsense", "pi_nonsense")):
            method, path = one.format(written).split(" ")
            reply = api.send(method, path, {} if method in {"POST", "PATCH"} else None)
            assert_refused(reply, 404, "not_found")
            assert reply.body["details"] == {"resource": resource}, one
    assert all_rows() == before


@pytest.mark.spec("Errors: 409 cancel")
@pytest.mark.spec("Errors: 409 and 422 of refunds and payouts")
@pytest.mark.spec("States: payout")
def test_a_second_cancel_and_a_replay_of_what_did_not_fail(api: ApiClient) -> None:
    intent = create(api)
    payout = stored_payout(intent["id"])
    assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 200
    before = all_rows()
    cancelled = api.post(f"/payment-intents/{intent['id']}/cancel")
    assert_refused(cancelled, 409, "intent_not_cancellable")
    assert cancelled.body["details"]["status"] == "cancelled"
    replayed = api.post(f"/payouts/{payout.pk}/replay", Idempotency_Key="order-1")
    assert_refused(replayed, 409, "payout_not_replayable")
    assert replayed.body["details"] == {"status": "queued", "replayable_from": ["failed"]}
    assert all_rows() == before


@pytest.mark.spec("Limits: suggested polling interval")
def test_a_minute_or_two_of_polling_at_once_is_not_refused(api: ApiClient, settings: Settings) -> None:
    intent = create(api)
    settings.RATE_LIMIT_SCALE = 1
    rate_limits.forget()
    for path, polls in (
        (f"/checkout/{intent['id']}", 2 * MINUTE // 2),
        (f"/payment-intents/{intent['id']}", MINUTE // 3),
    ):
        assert {api.get(path).status for _ in range(polls)} == {200}, path
