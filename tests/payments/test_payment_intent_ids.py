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
UNKNOWN = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"


def without_request(reply: Reply) -> tuple[int, dict[str, Any]]:
    """Status and body of a refusal apart from the request's name."""
    return reply.status, {name: value for name, value in reply.body.items() if name != "request_id"}


@pytest.mark.spec("Contract 0.2")
@pytest.mark.spec("Resources: id, uuid or pi_ prefixed form")
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


@pytest.mark.spec("Contract 1.2")
@pytest.mark.spec("Errors: 404 retrieve intent, routing")
def test_ids_that_are_none_look_unknown(api: ApiClient) -> None:
    identifier = create(api)["id"]
    before = all_rows()
    for (method, path), written in product(ALL, NO_IDS):
        form = written.replace("{short}", identifier[:-1]).replace("{hex}", uuid.UUID(identifier).hex)
        form = form.replace("{}", identifier)
        unknown = without_request(api.send(method, f"/payment-intents/{UNKNOWN}{path}"))
        assert without_request(api.send(method, f"/payment-intents/{form}{path}")) == unknown, (path, form)
    assert all_rows() == before


@pytest.mark.spec("Contract 1.2")
@pytest.mark.spec("Errors: 404 retrieve intent, routing")
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


@pytest.mark.spec("Errors: 401 authenticated endpoints")
def test_without_a_secret_key_there_is_no_answer(api: ApiClient, account: Any) -> None:
    at = f"/payment-intents/{create(api)['id']}"
    keys = {"": "missing_api_key", "sk_test_nobody": "invalid_api_key", "whatever": "invalid_api_key"}
    keys |= {pair.publishable_key: "secret_key_required" for pair in (account.test, account.live)}
    before = all_rows()
    calls: list[tuple[str, str, Any]] = [*((method, at + path, None) for method, path in ALL)]
    for (key, code), call in product(keys.items(), [*calls, ("POST", "/payment-intents", {"amount": 25})]):
        reply = ApiClient(key).send(*call)
        assert (reply.status, reply.body["code"]) == (401, code)
        assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert all_rows() == before


@pytest.mark.spec("Contract 21.5")
@pytest.mark.spec("GET /payment-intents/{id}: 200 PaymentIntent")
def test_reading_changes_nothing(world: World, api: ApiClient) -> None:
    """Also not by the clock: an intent whose time is up is expired by a worker, not by a look at it."""
    intent = create(api)
    world.wait(86_400)
    before = all_rows()
    for method, path in READS:
        assert api.send(method, f"/payment-intents/{intent['id']}{path}").status == 200
    assert api.get("/payment-intents").status == 200
    assert all_rows() == before


LEG_KEYS = {
    *("id", "payment_intent_id", "sequence", "kind", "provider", "chain", "to_chain", "token", "to_token"),
    *("amount", "to_amount", "amount_usd", "fee_usd", "gas_usd", "status", "sub_status", "tx_hash"),
    *("destination_tx_hash", "explorer_url", "block_number", "confirmations", "confirmations_required"),
    *("payer_address", "error", "created_at", "submitted_at", "confirmed_at", "updated_at"),
}


@pytest.mark.spec("Contract 6.6")
@pytest.mark.spec("GET /payment-intents/{id}/transactions: transaction legs contributing to the intent")
def test_transactions(world: World, api: ApiClient) -> None:
    intent = create(api)
    assert api.get(f"/payment-intents/{intent['id']}/transactions").body == {"data": []}
    pay(api, intent)
    world.run(4)
    reply = api.get(f"/payment-intents/{intent['id']}/transactions")
    [leg] = reply.body["data"]
    assert set(leg) == LEG_KEYS
    tx_hash = leg["tx_hash"]
    exact = {
        "payment_intent_id": intent["id"],
        "sequence": 1,
        "kind": "transfer",
        "provider": "direct",
        "chain": "base",
        "to_chain": "base",
        "token": "USDC",
        "to_token": "USDC",
        "amount": "25",
        "to_amount": "25",
        "amount_usd": 25.0,
        "fee_usd": 0.0,
        "gas_usd": 0.01,
        "status": "confirmed",
        "sub_status": None,
        "destination_tx_hash": tx_hash,
        "confirmations": 7,
        "confirmations_required": 5,
        "payer_address": "0x7e57000000000000000000000000000000000a11",
        "error": None,
        "created_at": "2026-05-04T12:00:00.000Z",
        "submitted_at": "2026-05-04T12:00:00.000Z",
        "confirmed_at": "2026-05-04T12:00:02.000Z",
        "updated_at": "2026-05-04T12:00:02.000Z",
    }
    assert {name: leg[name] for name in exact} == exact
    assert b'"amount_usd":25.00,"fee_usd":0.00,"gas_usd":0.01' in reply.raw


CANDIDATE_KEYS = {
    *("id", "provider", "chosen", "ai_pick", "score", "from_chain", "to_chain", "from_token", "to_token"),
    *("to_amount_usd", "fee_usd", "gas_usd", "duration_sec", "reason", "error", "created_at"),
}


@pytest.mark.spec("GET /payment-intents/{id}/routing: RouteCandidate[], chosen and rejected")
def test_routing(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "quoted")
    unasked = create(api)
    assert api.get(f"/payment-intents/{unasked['id']}/routing").body == {"data": []}
    assert read(api, unasked)["status"] == "created"
    candidates = api.get(f"/payment-intents/{intent['id']}/routing").body["data"]
    assert len(candidates) > 1
    assert all(set(candidate) == CANDIDATE_KEYS for candidate in candidates)
    [chosen] = [candidate for candidate in candidates if candidate["chosen"]]
    assert candidates[0] == chosen
    assert chosen["error"] is None
    assert sum(candidate["ai_pick"] for candidate in candidates) == 1
    rejected = [candidate for candidate in candidates if not candidate["chosen"]]
    assert all(candidate["reason"] for candidate in rejected)
    assert any(candidate["error"] for candidate in rejected)
    for candidate in candidates:
        assert str(uuid.UUID(candidate["id"])) == candidate["id"]
        assert isinstance(candidate["score"], float)
        assert isinstance(candidate["duration_sec"], int)
