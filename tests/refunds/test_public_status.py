"""GET /api/public/refunds/{id}/status: exactly the specification's keys, its own words, nothing of anybody."""

import json
from typing import Any

import pytest
from pytest_django import Settings

from core.rate_limits import buckets
from merchants.models import Merchant
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.payments.world import World
from tests.refunds.stories import NOWHERE, PAYEE, public, refund, row, settled, work

KEYS = (
    *("id", "payment_intent_id", "amount_usd", "chain", "token", "destination_tail", "reason", "status", "tx_hash"),
    *("failure_reason", "attempts", "created_at", "updated_at", "paid_at", "terminal"),
)
"""Source: specification, Refund public status view; in its order."""
SHOP: dict[str, Any] = {"customer_email": "payer@home.example", "reference": "order 17", "metadata": {"name": "Ann"}}


def status_path(made: dict[str, Any]) -> str:
    """Where anybody may ask."""
    return f"/api/public/refunds/{made['id']}/status"


@pytest.mark.spec("Refund")
@pytest.mark.spec("Refunds")
@pytest.mark.spec("Authentication 4: unauthenticated endpoints")
def test_a_paid_refund(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    made = refund(api, settled(world, api, **SHOP), 10, destination=PAYEE, reason="wrong size")
    work(world)
    before = all_rows()
    reply = anonymous.get(status_path(made))
    assert reply.status == 200
    assert tuple(reply.body) == KEYS
    assert reply.body == {
        "id": made["id"],
        "payment_intent_id": made["payment_intent_id"],
        "amount_usd": 10,
        "chain": "base",
        "token": "USDC",
        "destination_tail": "…169EE7",
        "reason": "wrong size",
        "status": "succeeded",
        "tx_hash": row(made).tx_hash,
        "failure_reason": None,
        "attempts": 1,
        "created_at": made["created_at"],
        "updated_at": reply.body["paid_at"],
        "paid_at": reply.body["paid_at"],
        "terminal": True,
    }
    assert b'"amount_usd":10.00,' in reply.raw
    assert all_rows() == before


@pytest.mark.spec("Contract 3.5")
@pytest.mark.spec("Refund")
@pytest.mark.spec("States: refund")
@pytest.mark.parametrize(
    ("story", "seen"),
    [
        pytest.param(("settle", None, 2), ("pending", "missing_destination", False), id="waiting"),
        pytest.param(("settle", PAYEE, None), ("pending", None, False), id="queued"),
        pytest.param(("refund_unknown", PAYEE, 2), ("processing", None, False), id="processing"),
        pytest.param(("refund_retry", PAYEE, 2), ("retry_scheduled", "chain_unavailable", False), id="retry scheduled"),
        pytest.param(("settle", PAYEE, 4), ("succeeded", None, True), id="paid"),
        pytest.param(("refund_fail", PAYEE, 2), ("failed", "chain_rejected", True), id="failed"),
    ],
)
def test_its_own_words(
    story: tuple[str, str | None, int | None], seen: tuple[str, str | None, bool], world: World, api: ApiClient
) -> None:
    scenario, destination, seconds = story
    made = refund(api, settled(world, api, metadata={"simulate": scenario}), destination=destination)
    if seconds is not None:
        work(world, seconds)
    body = public(made)
    assert (body["status"], body["failure_reason"], body["terminal"]) == seen
    assert tuple(body) == KEYS


@pytest.mark.spec("Contract 3.9")
@pytest.mark.spec("Refund")
def test_nothing_of_merchant_or_payer(world: World, api: ApiClient, merchant: Merchant, anonymous: ApiClient) -> None:
    made = refund(api, settled(world, api, **SHOP), destination=PAYEE)
    raw = anonymous.get(status_path(made)).raw.decode()
    secrets = [merchant.name, "owner@shop.example", *(str(value) for value in SHOP.values()), PAYEE, PAYEE[:-7]]
    assert [secret for secret in (*secrets, "Ann") if secret.lower() in raw.lower()] == []


@pytest.mark.spec("Contract 0.4")
def test_an_empty_tail(merchant: Merchant, api: ApiClient) -> None:
    made = refund(api, {"id": str(paid_intent(merchant, mode="test").pk)})
    assert (public(made)["destination_tail"], public(made)["reason"]) == ("", "")


@pytest.mark.parametrize("written", [NOWHERE, "nonsense", "%00"])
@pytest.mark.spec("Errors: 404")
def test_unknown_links(written: str, anonymous: ApiClient, db: None) -> None:
    reply = anonymous.get(f"/api/public/refunds/{written}/status")
    assert_refused(reply, 404, "not_found")


def test_pollers_get_304_until_something_changes(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    made = refund(api, settled(world, api), destination=PAYEE)
    first = anonymous.get(status_path(made))
    assert first.headers["Cache-Control"] == "no-store"
    again = anonymous.get(status_path(made), If_None_Match=first.headers["ETag"])
    assert (again.status, again.raw, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert again.headers["Cache-Control"] == "no-store"
    work(world)
    later = anonymous.get(status_path(made), If_None_Match=first.headers["ETag"])
    assert (later.status, later.body["status"]) == (200, "succeeded")


@pytest.mark.spec("Contract 3.9")
@pytest.mark.spec("Limits: rate limits (not shown)")
def test_counted_per_address(settings: Settings, world: World, api: ApiClient, anonymous: ApiClient) -> None:
    made = refund(api, settled(world, api))
    settings.RATE_LIMIT_SCALE = 1
    buckets.cache_clear()
    first = anonymous.get(status_path(made))
    assert (first.status, first.headers["RateLimit-Limit"]) == (200, "120")
    assert {anonymous.get(status_path(made)).status for _ in range(119)} == {200}
    refused = anonymous.get(status_path(made))
    assert_refused(refused, 429, "rate_limited")
    details = {name: refused.body["details"][name] for name in ("limit", "window_seconds", "scope")}
    assert details == {"limit": 120, "window_seconds": 60, "scope": "refund_status"}
    assert anonymous.get(f"/checkout/{made['payment_intent_id']}").status == 200


@pytest.mark.spec("Rulings A1.3")
def test_the_exact_digits(merchant: Merchant, api: ApiClient, anonymous: ApiClient) -> None:
    intent = paid_intent(merchant, mode="test")
    made = refund(api, {"id": str(intent.pk)}, 0.000001)
    raw = anonymous.get(status_path(made)).raw
    assert json.loads(raw, parse_float=str)["amount_usd"] == "0.000001"
