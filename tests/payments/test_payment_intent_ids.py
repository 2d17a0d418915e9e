"""Every path with an intent's id: which forms are taken, and that all others look the same."""

import uuid
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


@pytest.mark.spec("Resources: id, uuid or pi_ prefixed form")
@pytest.mark.parametrize(("method", "path"), ALL)
@pytest.mark.parametrize("prefix", ["", "pi_"])
@pytest.mark.parametrize("hyphens", [True, False])
def test_forms_of_an_id(api: ApiClient, method: str, path: str, prefix: str, hyphens: bool) -> None:
    intent = create(api)
    written = prefix + (intent["id"] if hyphens else intent["id"].replace("-", ""))
    reply = api.send(method, f"/payment-intents/{written}{path}")
    assert reply.status == 200
    if path not in {"/transactions", "/routing"}:
        assert reply.body["id"] == intent["id"]


@pytest.mark.parametrize("written", ["{}", "pi_{}"])
def test_ids_are_taken_in_upper_case(api: ApiClient, written: str) -> None:
    intent = create(api)
    reply = api.get(f"/payment-intents/{written.replace('{}', intent['id'].upper())}")
    assert (reply.status, reply.body) == (200, intent)


@pytest.mark.spec("Errors: 404 retrieve intent, routing")
@pytest.mark.parametrize(("method", "path"), ALL)
@pytest.mark.parametrize(
    "written",
    [
        *(
            "1",
            "pi_",
            "x",
            "pi_pi_{}",
            "PI_{}",
            "{} ",
            "{}x",
            "re_{}",
            "urn:uuid:{}",
            "%7B{}%7D",
            "{}%00",
            "null",
            "%2e%2e",
        ),
        *("{short}", "٣" * 32, "0x{hex}"),
    ],
)
def test_ids_that_are_none_look_unknown(api: ApiClient, method: str, path: str, written: str) -> None:
    identifier = create(api)["id"]
    form = written.replace("{short}", identifier[:-1]).replace("{hex}", uuid.UUID(identifier).hex)
    form = form.replace("{}", identifier)
    unknown = without_request(api.send(method, f"/payment-intents/{UNKNOWN}{path}"))
    before = all_rows()
    assert without_request(api.send(method, f"/payment-intents/{form}{path}")) == unknown
    assert all_rows() == before


@pytest.mark.spec("Errors: 404 retrieve intent, routing")
@pytest.mark.spec("Authentication 3: a key only sees intents of its own mode")
@pytest.mark.parametrize(("method", "path"), ALL)
def test_what_others_own_looks_unknown(
    api: ApiClient, live_api: ApiClient, other_api: ApiClient, method: str, path: str
) -> None:
    mine = create(api)
    before = all_rows()
    for stranger in (live_api, other_api):
        unknown = without_request(stranger.send(method, f"/payment-intents/{UNKNOWN}{path}"))
        assert unknown == (
            404,
            {"error": "No such payment intent.", "code": "not_found", "details": {"resource": "payment_intent"}},
        )
        assert without_request(stranger.send(method, f"/payment-intents/{mine['id']}{path}")) == unknown
        assert without_request(stranger.send(method, f"/payment-intents/pi_{mine['id']}{path}")) == unknown
    assert all_rows() == before


@pytest.mark.spec("Errors: 401 authenticated endpoints")
@pytest.mark.parametrize(("method", "path"), [*ALL, ("POST", "list")])
def test_without_a_secret_key_there_is_no_answer(
    api: ApiClient, account: Any, anonymous: ApiClient, method: str, path: str
) -> None:
    intent = create(api)
    target = "/payment-intents" if path == "list" else f"/payment-intents/{intent['id']}{path}"
    before = all_rows()
    for key, code in (
        ("", "missing_api_key"),
        (account.test.publishable_key, "secret_key_required"),
        (account.live.publishable_key, "secret_key_required"),
        ("sk_test_nobody", "invalid_api_key"),
        ("whatever", "invalid_api_key"),
    ):
        reply = ApiClient(key).send(method, target, {"amount": 25} if path == "list" else None)
        assert (reply.status, reply.body["code"]) == (401, code)
        assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert all_rows() == before


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


def test_routing_of_an_intent_nobody_quoted(api: ApiClient) -> None:
    intent = create(api)
    assert api.get(f"/payment-intents/{intent['id']}/routing").body == {"data": []}
    assert read(api, intent)["status"] == "created"
