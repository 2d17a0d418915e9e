"""What a payer's page may ask for: every refusal, and what an action leaves alone."""

from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings

from checkout.views.access import issue_token
from merchants.models import IdempotencyRecord
from tests.conftest import ApiClient, Reply
from tests.factories.rows import all_rows
from tests.payments.payer import EVM_WALLET, SOLANA_WALLET, Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, read

USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
NOBODY = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
HASH = "0x" + "ab" * 32
ONE = {"leg_sequence": 1}
UNPAYABLE = ["awaiting_signature", "executing", "settled", "failed", "expired", "cancelled", "refunded"]


def refused(payer: Payer, path: str, body: object, status: int, **headers: str) -> Reply:
    """An action that must fail and leave every table as it was."""
    before = all_rows()
    reply = payer.send("POST", f"/{path}", body, **headers)
    assert reply.status == status, reply.body
    assert all_rows() == before
    return reply


def problems(reply: Reply) -> list[tuple[str, str]]:
    """The fields complained about, each with its code."""
    assert reply.body["code"] == "invalid_request"
    return [(one["field"], one["code"]) for one in reply.body["details"]["fields"]]


BAD_BODIES: list[tuple[str, dict[str, Any], list[tuple[str, str]]]] = [
    ("wallet", {}, [("address", "required"), ("family", "required")]),
    ("wallet", {"family": "bitcoin", "address": EVM_WALLET}, [("family", "unknown_value")]),
    ("wallet", {"family": "evm", "address": SOLANA_WALLET}, [("address", "format")]),
    ("wallet", {"family": "solana", "address": EVM_WALLET}, [("address", "format")]),
    ("wallet", {"family": "evm", "address": "0x52908400098527886E0F7030069857D2E4169Ee7"}, [("address", "format")]),
    ("wallet", {"family": "evm", "address": 7}, [("address", "type")]),
    ("wallet", {"family": "evm", "address": EVM_WALLET, "chain": "base"}, [("chain", "unknown_field")]),
    ("quote", {}, [("chain", "required"), ("token_address", "required")]),
    ("quote", {"chain": "base", "token_address": USDC_ON_BASE}, [("token_address", "unknown_value")]),
    ("quote", {"chain": 8453, "token_address": USDC_ON_BASE}, [("chain", "type")]),
    ("start", {}, [("attempt_id", "required")]),
    ("start", {"attempt_id": "x"}, [("attempt_id", "format")]),
    ("start", {"attempt_id": None}, [("attempt_id", "type")]),
    ("rejected", {"attempt_id": NOBODY, "reason": "bored"}, [("reason", "unknown_value")]),
    ("submitted", {"attempt_id": NOBODY}, [("leg_sequence", "required"), ("tx_hash", "required")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": 0, "tx_hash": HASH}, [("leg_sequence", "out_of_range")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": "1", "tx_hash": HASH}, [("leg_sequence", "type")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": 1, "tx_hash": "0x12"}, [("tx_hash", "format")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": 1, "tx_hash": f"{HASH}0"}, [("tx_hash", "format")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": 1, "tx_hash": f"{HASH}\n0"}, [("tx_hash", "format")]),
    ("simulated-wallet/transactions", {"attempt_id": NOBODY}, [("leg_sequence", "required")]),
]


def test_bodies_that_are_refused(api: ApiClient) -> None:
    payer = Payer.of(create(api))
    for path, body, problem in BAD_BODIES:
        assert sorted(problems(refused(payer, path, body, 400))) == problem, (path, body)
    for raw in (b"", b"[]", b"{", b'{"family":"evm","family":"evm"}', b'{"family":"\\u0000"}'):
        assert refused(payer, "wallet", raw, 400).body["code"] in {"invalid_json", "invalid_request"}, raw


def test_attempts_that_are_not_there(world: World, api: ApiClient) -> None:
    payer, other = Payer.of(create(api)), Payer.of(create(api))
    theirs, mine = other.start(world), payer.start(world)
    actions: dict[str, dict[str, Any]] = {"start": {}, "rejected": {}, "simulated-wallet/transactions": ONE}
    actions["submitted"] = {**ONE, "tx_hash": HASH}
    for path, more in actions.items():
        for attempt in (NOBODY, theirs["id"]):
            reply = refused(payer, path, {"attempt_id": attempt, **more}, 404)
            assert reply.body["code"] == "not_found", path
        if more:
            reply = refused(payer, path, {"attempt_id": mine["id"], **more, "leg_sequence": 2}, 404)
            assert reply.body["details"] == {"resource": "leg"}, path


@pytest.mark.parametrize("status", UNPAYABLE)
def test_statuses_in_which_nothing_can_be_started(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    payer = Payer.of(intent)
    doubt = status == "executing"
    wallet = refused(payer, "wallet", {"family": "evm", "address": EVM_WALLET}, 409)
    assert wallet.body["code"] == ("in_doubt" if doubt else "intent_not_payable")
    assert wallet.body["details"] == ({} if doubt else {"status": status})


def test_a_quote_needs_a_wallet_that_was_looked_into_and_takes_its_time(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    wish = {"chain": "base", "token_address": USDC_ON_BASE}
    assert problems(refused(payer, "quote", wish, 400)) == [("token_address", "unknown_value")]
    payer.act("wallet", {"family": "evm", "address": EVM_WALLET})
    assert problems(refused(payer, "quote", wish, 400)) == [("token_address", "unknown_value")]
    payer.connect()
    other_chain = {"chain": "polygon", "token_address": USDC_ON_BASE}
    assert problems(refused(payer, "quote", other_chain, 400)) == [("token_address", "unknown_value")]
    attempt = payer.act("quote", wish)["attempt"]
    assert attempt["status"] == "quoting"
    assert refused(payer, "start", {"attempt_id": attempt["id"]}, 409).body["code"] == "quote_expired"


def test_an_intent_whose_time_is_up_is_not_started_and_hands_nothing_out(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api, expires_in_seconds=60))
    attempt = payer.quote(world)
    unsent = refused(payer, "simulated-wallet/transactions", {"attempt_id": attempt["id"], "leg_sequence": 1}, 404)
    assert unsent.body["details"] == {"resource": "leg"}
    world.wait(60)
    for path, body in (
        ("wallet", {"family": "evm", "address": EVM_WALLET}),
        ("quote", {"chain": attempt["chain"], "token_address": attempt["token_address"]}),
        ("start", {"attempt_id": attempt["id"]}),
    ):
        reply = refused(payer, path, body, 409)
        assert (reply.body["code"], reply.body["details"]) == ("intent_not_payable", {"status": "expired"})


def test_a_wallet_sends_once(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    attempt = payer.start(world)
    first = payer.sign(attempt, 1, "settle")
    before = all_rows()
    assert payer.sign(attempt, 1, "overpay") == first
    assert all_rows() == before


@pytest.mark.spec("Rulings B13.2")
@pytest.mark.spec("Payer actions have an idempotency scope of their own")
def test_a_payer_has_idempotency_keys_of_its_own(world: World, api: ApiClient) -> None:
    """It cannot occupy the merchant's; a refused action occupies none; another action under the same is refused."""
    intent = create(api)
    payer, other = Payer.of(intent), Payer.of(create(api))
    body = {"family": "evm", "address": EVM_WALLET}
    refused(payer, "start", {"attempt_id": NOBODY}, 404, Idempotency_Key="k")
    state = payer.act("wallet", body, Idempotency_Key="k")
    replay = payer.send("POST", "/wallet", body, Idempotency_Key="k")
    assert (replay.status, replay.body, replay.headers["Idempotent-Replayed"]) == (202, state, "true")
    others = (("wallet", {"family": "solana", "address": SOLANA_WALLET}), ("rejected", {"attempt_id": NOBODY}))
    for path, another in others:
        assert refused(payer, path, another, 409, Idempotency_Key="k").body["code"] == "idempotency_key_reused"
    other.act("wallet", body, Idempotency_Key="k")
    created = api.post("/payment-intents", {"amount": 26}, Idempotency_Key="k")
    assert (created.status, created.body["amount"]) == (201, "26.00")
    assert "Idempotent-Replayed" not in created.headers
    assert api.post(f"/payment-intents/{intent['id']}/cancel", Idempotency_Key="other").status == 200
    payer.send("POST", "/session", Idempotency_Key="other")
    assert len(IdempotencyRecord.objects.values_list("scope", flat=True).distinct()) == 3


def test_another_wallet_may_take_over_before_anything_is_signed(world: World, api: ApiClient) -> None:
    intent = create(api)
    Payer.of(intent).quote(world)
    solana = Payer.of(intent, "solana")
    attempt = solana.start(world)
    assert attempt["refund_to"] == SOLANA_WALLET
    solana.pay(attempt)
    world.run(5)
    assert read(api, intent)["status"] == "settled"


def test_actions_are_posts(api: ApiClient) -> None:
    payer = Payer.of(create(api))
    for path in ("wallet", "quote", "start", "submitted", "rejected", "session", "simulated-wallet/transactions"):
        for method in ("GET", "PUT", "DELETE"):
            reply = payer.send(method, f"/{path}", None)
            assert (reply.status, reply.body["code"]) == (405, "method_not_allowed"), (method, path)


def test_each_payment_has_its_own_bucket_of_requests(api: ApiClient, anonymous: ApiClient) -> None:
    """Payers behind one address do not use up each other's requests."""
    busy, quiet = create(api), create(api)
    with override_settings(RATE_LIMIT_SCALE=0.01):
        answers = [
            anonymous.get(f"/checkout/{one['id']}/state", Checkout_Token=issue_token(UUID(one["id"])))
            for one in (busy, busy, busy, busy, quiet)
        ]
    assert [answer.status for answer in answers] == [200, 200, 429, 429, 200]
