"""What a payer's page may ask for: every refusal, what an action leaves alone, and the browser that began acts on."""

from itertools import product
from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings

from checkout.views.access import issue_token
from core.modes import Mode
from merchants.models import IdempotencyRecord
from payments.models import Credit, Leg, PayerWallet, PaymentAttempt
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.payer import EVM_WALLET, SOLANA_WALLET, Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World, create, read

USDC_ON_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
NOBODY = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
HASH = "0x" + "ab" * 32
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
    ("wallet", {"family": "evm", "address": EVM_WALLET, "chain": "base"}, [("chain", "unknown_field")]),
    ("quote", {"chain": 8453, "token_address": USDC_ON_BASE}, [("chain", "type")]),
    ("start", {"attempt_id": "x"}, [("attempt_id", "format")]),
    ("rejected", {"attempt_id": NOBODY, "reason": "bored"}, [("reason", "unknown_value")]),
    ("submitted", {"attempt_id": NOBODY}, [("leg_sequence", "required"), ("tx_hash", "required")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": 0, "tx_hash": HASH}, [("leg_sequence", "out_of_range")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": 1, "tx_hash": f"{HASH}0"}, [("tx_hash", "format")]),
    ("submitted", {"attempt_id": NOBODY, "leg_sequence": 1, "tx_hash": f"{HASH}\n0"}, [("tx_hash", "format")]),
]


def test_bodies_that_are_refused(api: ApiClient) -> None:
    payer = Payer.of(create(api))
    for path, body, problem in BAD_BODIES:
        assert sorted(problems(refused(payer, path, body, 400))) == problem, (path, body)
    for raw in (b"", b"[]", b"{", b'{"family":"evm","family":"evm"}', b'{"family":"\\u0000"}'):
        assert refused(payer, "wallet", raw, 400).body["code"] in {"invalid_json", "invalid_request"}, raw


def test_transactions_that_are_not_there(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    second = {"attempt_id": payer.start(world)["id"], "leg_sequence": 2}
    for path, more in (("submitted", {"tx_hash": HASH}), ("simulated-wallet/transactions", {})):
        reply = refused(payer, path, {**second, **more}, 404)
        assert (reply.body["code"], reply.body["details"]) == ("not_found", {"resource": "leg"}), path


@pytest.mark.parametrize("status", UNPAYABLE)
def test_statuses_in_which_nothing_can_be_started(world: World, api: ApiClient, status: str) -> None:
    payer = Payer.of(intent_in(world, api, status))
    wallet = refused(payer, "wallet", {"family": "evm", "address": EVM_WALLET}, 409)
    expected = ("in_doubt", {}) if status == "executing" else ("intent_not_payable", {"status": status})
    assert (wallet.body["code"], wallet.body["details"]) == expected


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


def test_each_payment_has_its_own_bucket_of_requests(api: ApiClient, anonymous: ApiClient) -> None:
    """Payers behind one address do not use up each other's requests."""
    busy, quiet = create(api), create(api)
    with override_settings(RATE_LIMIT_SCALE=0.01):
        answers = [
            anonymous.get(f"/checkout/{one['id']}/state", Checkout_Token=issue_token(UUID(one["id"])))
            for one in (busy, busy, busy, busy, quiet)
        ]
    assert [answer.status for answer in answers] == [200, 200, 429, 429, 200]


SECRET = "a" * 43
STRANGERS = "b" * 43
STRANGERS_WALLET = "0x7e57000000000000000000000000000000000002"


def two_payers(intent: dict[str, Any]) -> tuple[Payer, Payer]:
    """A payer, and a stranger who has the link; each browser has a secret of its own."""
    return Payer.of(intent, browser=SECRET), Payer.of(intent, address=STRANGERS_WALLET, browser=STRANGERS)


@pytest.mark.spec("Rulings C4.1")
def test_nobody_acts_on_anothers_attempt(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer, _ = two_payers(intent)
    mine = payer.start(world)
    submitted = {"leg_sequence": 1, "tx_hash": HASH}
    deeds: list[tuple[str, dict[str, object]]] = [
        ("rejected", {}),
        ("start", {}),
        ("simulated-wallet/transactions", {"leg_sequence": 1}),
        *(("submitted", submitted), ("submitted", {**submitted, "claim": "0x" + "11" * 65})),
        ("submitted", {**submitted, "signed_transaction": "AAAA"}),
    ]
    for secret, (path, more) in product((STRANGERS, ""), deeds):
        stranger = Payer.of(intent, address=STRANGERS_WALLET, browser=secret)
        reply = refused(stranger, path, {"attempt_id": mine["id"], **more}, 403)
        assert_refused(reply, 403, "attempt_of_another_browser")
    assert payer.state()["attempt"]["transactions"] == mine["transactions"]


def test_the_payer_pays_whatever_the_stranger_does(world: World, api: ApiClient) -> None:
    """The hijack of an attempt that waits for its signature, as far as it goes."""
    intent = create(api)
    payer, stranger = two_payers(intent)
    mine = payer.start(world)
    refused(stranger, "rejected", {"attempt_id": mine["id"]}, 403)
    theirs = stranger.start(world)
    assert theirs["id"] != mine["id"]
    assert PaymentAttempt.objects.get(pk=mine["id"]).status == "awaiting_signature"
    assert payer.state()["others"] == {"open": 1, "furthest": "awaiting_signature"}
    payer.pay(mine)
    world.run(10)
    body = read(api, intent)
    assert (body["status"], body["amount_received"]) == ("settled", "25.00")
    [credit] = Credit.objects.all()
    assert credit.leg == Leg.objects.get(attempt_id=mine["id"])
    assert PaymentAttempt.objects.get(pk=mine["id"]).status == "confirmed"
    assert PaymentAttempt.objects.get(pk=theirs["id"]).status == "abandoned"


@pytest.mark.spec("Rulings C4.1")
def test_what_both_pay_counts(world: World, api: ApiClient) -> None:
    """The second is a surplus: told, and each credited to its own leg."""
    intent = create(api)
    payer, stranger = two_payers(intent)
    mine, theirs = payer.start(world), stranger.start(world)
    payer.pay(mine)
    assert stranger.state()["attempt"]["status"] == "awaiting_signature"
    stranger.pay(theirs)
    world.run(10)
    body = read(api, intent)
    assert (body["status"], body["amount_received"], body["overpaid_usd"]) == ("settled", "50.00", "25.00")
    legs = {str(leg.attempt_id): leg.pk for leg in Leg.objects.all()}
    assert {credit.leg_id for credit in Credit.objects.all()} == {legs[mine["id"]], legs[theirs["id"]]}
    assert not PaymentAttempt.objects.exclude(status="confirmed").exists()


@pytest.mark.spec("Rulings C3.2")
def test_the_status_is_that_of_the_furthest(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer, stranger = two_payers(intent)
    theirs = stranger.start(world)
    mine = payer.quote(world)
    assert (read(api, intent)["status"], payer.state()["message"]["code"]) == ("awaiting_signature", "quoted")
    stranger.act("rejected", {"attempt_id": theirs["id"]})
    assert (read(api, intent)["status"], stranger.state()["message"]["code"]) == ("quoted", "requires_payment")
    payer.act("start", {"attempt_id": mine["id"]})
    world.run(1)
    assert read(api, intent)["status"] == "awaiting_signature"
    world.wait(660)
    world.run(1)
    assert read(api, intent)["status"] == "requires_payment"


def test_a_payment_that_fails_leaves_the_others_where_they_were(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer, stranger = two_payers(intent)
    mine, theirs = payer.start(world), stranger.start(world)
    stranger.pay(theirs, "fail_execution")
    world.run(6)
    assert read(api, intent)["status"] == "awaiting_signature"
    assert payer.state()["attempt"]["status"] == "awaiting_signature"
    assert payer.state()["attempt"]["transactions"] == mine["transactions"]
    payer.pay(mine)
    world.run(10)
    assert read(api, intent)["status"] == "settled"


def test_each_sees_its_own_and_nothing_new_begins_while_a_payment_is_on_its_way(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer, stranger = two_payers(intent)
    mine = payer.start(world)
    state = stranger.state()
    unsigned = {"open": 1, "furthest": "awaiting_signature"}
    assert (state["wallet"], state["attempt"], state["others"]) == (None, None, unsigned)
    [token, *_] = stranger.connect()
    assert stranger.state()["wallet"]["address"] == STRANGERS_WALLET
    state = payer.state()
    seen = (state["wallet"]["address"], state["attempt"]["id"], state["others"])
    assert seen == (EVM_WALLET, mine["id"], {"open": 0, "furthest": None})
    assert {wallet.address for wallet in PayerWallet.objects.all()} == {EVM_WALLET, STRANGERS_WALLET}
    quoted = stranger.choose(token)
    payer.pay(mine)
    world.run(1)
    assert stranger.state()["attempt"]["status"] == "abandoned"
    assert_refused(stranger.send("POST", "/start", {"attempt_id": quoted["id"]}), 409, "intent_not_payable")
    wish = {"chain": token["chain"], "token_address": token["token_address"]}
    assert_refused(stranger.send("POST", "/quote", wish), 409, "intent_not_payable")


def test_who_opens_many_keeps_nobody_out(world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.services.side_by_side.MOST_OPEN", 3)
    intent = create(api)
    mine = Payer.of(intent, browser=SECRET).start(world)
    for number in range(4):
        Payer.of(intent, address=STRANGERS_WALLET, browser=str(number) * 43).quote(world)
    assert PaymentAttempt.objects.get(pk=mine["id"]).status == "awaiting_signature"
    numbers = PaymentAttempt.objects.filter(status="quoted").order_by("number").values_list("number", flat=True)
    assert list(numbers) == [4, 5]
    late = Payer.of(intent, browser="z" * 43)
    late.pay(late.start(world))
    world.run(10)
    assert read(api, intent)["status"] == "settled"


def test_one_address_begins_ten_times_in_ten_minutes(world: World, api: ApiClient) -> None:
    intent = create(api)
    wallet = {"family": "evm", "address": STRANGERS_WALLET}
    browsers = [Payer.of(intent, browser=str(number) * 43) for number in range(10)]
    _, one_more = two_payers(intent)
    with override_settings(RATE_LIMIT_SCALE=1):
        for browser in browsers:
            browser.act("wallet", wallet)
        before = all_rows()
        assert_refused(one_more.send("POST", "/wallet", wallet), 429, "rate_limited")
        assert all_rows() == before
        browsers[0].act("wallet", wallet)


def test_a_secret_has_a_form_and_only_its_digest_is_stored(world: World, api: ApiClient) -> None:
    intent, wallet = create(api), {"family": "evm", "address": EVM_WALLET}
    for secret in ("short", "a" * 129, "a" * 31 + "!", "a" * 31 + " "):
        assert_refused(refused(Payer.of(intent, browser=secret), "wallet", wallet, 400), 400, "invalid_request")
    Payer.of(intent, browser=SECRET).start(world)
    assert SECRET not in str(all_rows())
    attempt = PaymentAttempt.objects.get()
    assert (len(attempt.browser), attempt.mode) == (64, Mode.TEST)


def test_a_guessed_idempotency_key_shows_nothing(world: World, api: ApiClient) -> None:
    wallet = {"family": "evm", "address": EVM_WALLET}
    payer, stranger = two_payers(create(api))
    payer.act("wallet", wallet, Idempotency_Key="order-1")
    reply = stranger.send("POST", "/wallet", wallet, Idempotency_Key="order-1")
    assert reply.headers.get("Idempotent-Replayed") is None
