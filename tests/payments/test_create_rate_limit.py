"""429 on create at the limits we ship: 25 at once in either mode."""

from typing import Any

import pytest
from pytest_django import Settings

from merchants.models import IdempotencyRecord
from payments.models import PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.factories.payments import ANNS_EVM
from webhooks.models import Event

pytestmark = pytest.mark.slow

LIVE = {"amount": 25, "settlement_chain": "base", "settlement_address": ANNS_EVM}


@pytest.fixture(autouse=True)
def _as_shipped(settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 1


def burst(api: ApiClient, body: dict[str, Any]) -> tuple[list[Reply], Reply]:
    """26 creates of one moment: those that may pass, and the last."""
    *passed, last = [api.post("/payment-intents", body, Idempotency_Key=f"k{number}") for number in range(26)]
    return passed, last


@pytest.mark.spec("Rulings B5.2; Contract 13.2")
@pytest.mark.spec("Errors: 429 create intent, rate limited")
@pytest.mark.spec("Rate limits (not shown): ours")
def test_a_burst_in_test_mode(api: ApiClient) -> None:
    passed, refused = burst(api, {"amount": 25})
    assert {reply.status for reply in passed} == {201}
    assert [reply.headers["RateLimit-Remaining"] for reply in passed] == [str(left) for left in range(24, -1, -1)]
    assert {reply.headers["RateLimit-Limit"] for reply in passed} == {"25"}
    assert {reply.headers["RateLimit-Reset"] for reply in passed} == {"1"}
    assert (refused.status, refused.body["code"]) == (429, "rate_limited")
    details = refused.body["details"]
    assert (details["limit"], details["window_seconds"], details["retry_after_seconds"]) == (25, 1, 1)
    assert refused.headers["Retry-After"] == "1"
    assert refused.headers["RateLimit-Limit"] == "25"
    assert refused.headers["RateLimit-Remaining"] == "0"
    assert refused.headers["RateLimit-Reset"] == "1"
    made = (PaymentIntent.objects.count(), Event.objects.count(), IdempotencyRecord.objects.count())
    assert made == (25, 25, 25)


@pytest.mark.spec("Contract 13.4")
def test_modes_merchants_and_requests_without_a_key_count_apart(
    api: ApiClient, live_api: ApiClient, other_api: ApiClient, anonymous: ApiClient
) -> None:
    for _ in range(40):
        assert anonymous.post("/payment-intents", {"amount": 25}).status == 401
    reply = api.get("/payment-intents")
    shown = {name.removeprefix("RateLimit-"): text for name, text in reply.headers.items() if "RateLimit" in name}
    assert (reply.status, shown) == (200, {"Limit": "25", "Remaining": "24", "Reset": "1"})
    assert "Retry-After" not in reply.headers
    burst(api, {"amount": 25})
    passed, refused = burst(live_api, LIVE)
    assert [reply.status for reply in (*passed, refused)] == [201] * 25 + [429]
    assert other_api.post("/payment-intents", {"amount": 25}).status == 201


@pytest.mark.spec("Rate limits (not shown): ours")
def test_the_public_view_counts_per_address(api: ApiClient, anonymous: ApiClient) -> None:
    intent = api.post("/payment-intents", {"amount": 25}).body
    *passed, refused = [anonymous.get(f"/checkout/{intent['id']}") for _ in range(121)]
    assert {reply.status for reply in passed} == {200}
    assert refused.status == 429
    assert refused.headers["Retry-After"] == "1"
    details = refused.body["details"]
    assert (details["limit"], details["window_seconds"], details["retry_after_seconds"]) == (120, 60, 1)
