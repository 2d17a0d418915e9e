"""Every path with an intent's id: which forms are taken, and that all others look the same."""

import uuid
from itertools import product
from typing import Any

import pytest

from tests.conftest import ApiClient, Reply
from tests.factories.rows import all_rows
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, pay, read

READS = [("GET", ""), ("GET", "/transactions"), ("GET", "/routing")]
ALL = [*READS, ("POST", "/cancel")]
NOTHING = {"data": [], "has_more": False, "next_cursor": None}
UNKNOWN = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
PAYER = "0x7e57000000000000000000000000000000000a11"


def without_request(reply: Reply) -> tuple[int, dict[str, Any]]:
    return reply.status, {name: value for name, value in reply.body.items() if name not in {"request_id", "doc_url"}}


@pytest.mark.spec("Contract 0.2; Resources: id, uuid or pi_ prefixed form")
def test_forms_of_an_id(api: ApiClient) -> None:
    for (method, path), prefix, form in product(ALL, ("", "pi_"), ("plain", "bare", "upper")):
        intent = create(api)
        plain = intent["id"]
        written = prefix + {"plain": plain, "bare": plain.replace("-", ""), "upper": plain.upper()}[form]
        reply = api.send(method, f"/payment-intents/{written}{path}")
        assert reply.status == 200, (path, written)
        if path not in {"/transactions", "/routing"}:
            assert reply.body == intent | {name: reply.body[name] for name in ("status", "cancelled_at")}


NO_IDS = (
    *("1", "pi_", "x", "pi_pi_{}", "PI_{}", "{} ", "{}x", "re_{}", "urn:uuid:{}", "%7B{}%7D", "{}%00", "null"),
    *("%2e%2e", "{short}", "٣" * 32, "0x{hex}"),
)


@pytest.mark.spec("Contract 1.2; Errors: 404 retrieve intent, routing")
def test_ids_that_are_none_look_unknown(api: ApiClient) -> None:
    identifier = create(api)["id"]
    before = all_rows()
    for (method, path), written in product(ALL, NO_IDS):
        form = written.replace("{short}", identifier[:-1]).replace("{hex}", uuid.UUID(identifier).hex)
        form = form.replace("{}", identifier)
        unknown = without_request(api.send(method, f"/payment-intents/{UNKNOWN}{path}"))
        assert without_request(api.send(method, f"/payment-intents/{form}{path}")) == unknown, (path, form)
    assert all_rows() == before


@pytest.mark.spec("Contract 1.2; Errors: 404 retrieve intent, routing")
@pytest.mark.spec("Authentication 3: a key only sees intents of its own mode")
def test_what_others_own_looks_unknown(api: ApiClient, live_api: ApiClient, other_api: ApiClient) -> None:
    mine = create(api)
    before = all_rows()
    no_such = {"error": "No such payment intent.", "code": "not_found", "details": {"resource": "payment_intent"}}
    for stranger, (method, path) in product((live_api, other_api), ALL):
        for written in (UNKNOWN, mine["id"], f"pi_{mine['id']}"):
            reply = stranger.send(method, f"/payment-intents/{written}{path}")
            assert without_request(reply) == (404, no_such), (path, written)
    assert all_rows() == before


@pytest.mark.spec("Contract 21.5; GET /payment-intents/{id}: 200 PaymentIntent")
def test_reading_changes_nothing(world: World, api: ApiClient) -> None:
    """An intent whose time is up is expired by a worker, not by a look at it."""
    intent = create(api)
    world.wait(86_400)
    before = all_rows()
    for method, path in READS:
        assert api.send(method, f"/payment-intents/{intent['id']}{path}").status == 200
    assert api.get("/payment-intents").status == 200
    assert all_rows() == before


@pytest.mark.spec("Contract 6.6; GET /payment-intents/{id}/transactions: transaction legs contributing to the intent")
def test_transactions(world: World, api: ApiClient) -> None:
    intent = create(api)
    assert api.get(f"/payment-intents/{intent['id']}/transactions").body == NOTHING
    pay(api, intent)
    world.run(4)
    reply = api.get(f"/payment-intents/{intent['id']}/transactions")
    [leg] = reply.body["data"]
    exact = {
        **{"payment_intent_id": intent["id"], "sequence": 1, "kind": "transfer", "provider": "direct"},
        **{"chain": "base", "to_chain": "base", "token": "USDC", "to_token": "USDC", "amount": "25", "to_amount": "25"},
        **{"status": "confirmed", "sub_status": None, "error": None, "destination_tx_hash": leg["tx_hash"]},
        **{"confirmations": 7, "confirmations_required": 5, "payer_address": PAYER},
        **dict.fromkeys(("created_at", "submitted_at"), "2026-05-04T12:00:00.000Z"),
        **dict.fromkeys(("confirmed_at", "updated_at"), "2026-05-04T12:00:02.000Z"),
    }
    assert {name: leg[name] for name in exact} == exact
    assert b'"amount_usd":25.00,"fee_usd":0.00,"gas_usd":0.01' in reply.raw


@pytest.mark.spec("GET /payment-intents/{id}/routing: RouteCandidate[], chosen and rejected")
def test_routing(world: World, api: ApiClient) -> None:
    intent, unasked = intent_in(world, api, "quoted"), create(api)
    assert api.get(f"/payment-intents/{unasked['id']}/routing").body == NOTHING
    assert read(api, unasked)["status"] == "created"
    chosen, *rejected = api.get(f"/payment-intents/{intent['id']}/routing").body["data"]
    assert (chosen["chosen"], chosen["error"]) == (True, None)
    assert rejected
    assert all(candidate["reason"] and not candidate["chosen"] for candidate in rejected)
    assert any(candidate["error"] for candidate in rejected)
    assert sum(candidate["ai_pick"] for candidate in (chosen, *rejected)) == 1
