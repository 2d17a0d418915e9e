"""One payment in each of its statuses, at every door of its payer: page, receipt, state, public view and session."""

from decimal import Decimal
from typing import Any

import pytest

from tests.checkout.pages import read_page, receipt, visit
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World

VIEW = {"id", "amount", "currency", "status", "settlement_chain", "settlement_token", "expires_at", "legs"}
STATE = {
    *("id", "mode", "status", "amount", "currency", "merchant_name", "settlement_chain", "settlement_token"),
    *("settlement_address_tail", "expires_at", "server_time", "amount_received", "amount_due", "overpaid_usd"),
    *("in_doubt", "message", "last_error", "return_url", "receipt_url", "reference", "wallet", "attempt", "others"),
    *("legs", "terminal"),
}
ATTEMPT = {
    *("id", "number", "status", "chain", "token", "token_address", "pay_at_most", "pay_at_most_usd"),
    *("merchant_gets_at_least", "merchant_token", "fee_usd", "gas_usd", "duration_sec", "refund_to"),
    *("quote_expires_at", "terms", "route", "routes", "transactions", "parts", "total_usd"),
}
LEG = {
    *("sequence", "own", "kind", "provider", "chain", "chain_name", "to_chain", "to_chain_name", "token", "to_token"),
    *("amount_usd", "status", "tx_hash", "explorer_url", "destination_tx_hash", "destination_explorer_url"),
    *("submitted_at", "confirmed_at", "typical_seconds", "note_code", "note"),
}
TERMINAL = {"settled", "failed", "expired", "cancelled", "refunded"}
PERSONAL = {
    "customer_email": "ann@buyer.example",
    "metadata": {"secret-key": "secret-value"},
    "settlement_address": "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
}
FOR_THE_PAYER = {"reference": "order-17", "return_url": "https://shop.example/their-path"}


@pytest.mark.spec("Contract 9.1")
@pytest.mark.spec("CheckoutView: fields")
@pytest.mark.parametrize("status", STORIES)
def test_every_door_tells_the_same_and_nothing_personal(
    world: World, api: ApiClient, anonymous: ApiClient, status: str
) -> None:
    intent = intent_in(world, api, status, **PERSONAL, **FOR_THE_PAYER)
    payer = Payer.of(intent)
    reply = payer.send("GET", "/state")
    state = reply.body
    assert set(state) == STATE
    assert state["terminal"] is (status in TERMINAL)
    assert all(state["message"][part] for part in ("code", "happened", "money", "next"))
    for name in ("amount", "amount_received", "amount_due", "overpaid_usd"):
        assert state[name] == intent[name]
    assert all(set(leg) == LEG for leg in state["legs"])
    if state["attempt"] is not None:
        assert set(state["attempt"]) == ATTEMPT
        assert bool(state["attempt"]["transactions"]) is (status == "awaiting_signature")
    for secret in ("ann@", "buyer.example", "secret", "8617E340"):
        assert secret.lower() not in reply.raw.decode().lower()

    expect_pages(intent, state)
    expect_view(anonymous, intent)
    if status != "created":
        before = all_rows()
        payer.renew()
        assert all_rows() == before, "a session opens nothing but a created payment"
    assert payer.state()["status"] == status


def expect_pages(intent: dict[str, Any], state: dict[str, Any]) -> None:
    """The page and the receipt say what the state says."""
    page, kept = read_page(visit(intent["id"])), read_page(receipt(intent["id"]))
    for drawn in (page, kept):
        assert drawn.by_test_id["status"].attributes["data-status"] == intent["status"]
        said = [drawn.text(f"status-{part}") for part in ("title", "money", "next")]
        assert said == [state["message"][part] for part in ("happened", "money", "next")]
    assert ("hidden" in page.by_test_id["phone"].attributes) is state["terminal"]
    assert ("leg-row" in page.by_test_id) is bool(state["legs"])
    has_money = Decimal(state["amount_received"]) > 0
    assert ("back-to-checkout" in kept.by_test_id) is not state["terminal"]
    assert kept.text("kind") == ("Receipt" if has_money else "No receipt yet")
    assert ("received" in kept.by_test_id) is has_money


def expect_view(anonymous: ApiClient, intent: dict[str, Any]) -> None:
    """What anybody with the link is told: exactly this, and nothing of the merchant or the payer."""
    view = anonymous.get(f"/checkout/{intent['id']}")
    assert set(view.body) == VIEW
    assert {name: view.body[name] for name in VIEW - {"legs"}} == {name: intent[name] for name in VIEW - {"legs"}}
    assert isinstance(view.body["amount"], str)
    kinds = {"chain": str, "token": str, "amount_usd": float, "status": str}
    assert all({name: type(value) for name, value in leg.items()} == kinds for leg in view.body["legs"])
    for secret in ("ann@", "secret", "8617E340", "order-17", "their-path", "0x7e57", "Corner Shop", "owner@"):
        assert secret.lower() not in view.raw.decode().lower()
