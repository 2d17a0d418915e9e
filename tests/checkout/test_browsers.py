"""Whoever has the link may begin; what was begun is acted on by the browser that began it, and by nobody else."""

from itertools import product
from typing import Any

import pytest
from django.test import override_settings

from core.modes import Mode
from payments.models import Credit, Leg, PayerWallet, PaymentAttempt
from tests.checkout.test_payer_actions import HASH, refused
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.payer import EVM_WALLET, Payer
from tests.payments.world import World, create, read

SECRET = "a" * 43
STRANGERS = "b" * 43
STRANGERS_WALLET = "0x7e57000000000000000000000000000000000002"


def payer_of(intent: dict[str, Any]) -> Payer:
    """A browser with a secret of its own."""
    return Payer.of(intent, browser=SECRET)


def stranger_of(intent: dict[str, Any]) -> Payer:
    """Somebody else who has the link."""
    return Payer.of(intent, address=STRANGERS_WALLET, browser=STRANGERS)


@pytest.mark.spec("Rulings C4.1")
def test_nobody_acts_on_anothers_attempt(world: World, api: ApiClient) -> None:
    intent = create(api)
    mine = payer_of(intent).start(world)
    submitted = {"leg_sequence": 1, "tx_hash": HASH}
    deeds: list[tuple[str, dict[str, object]]] = [
        *(("rejected", {}), ("start", {}), ("simulated-wallet/transactions", {"leg_sequence": 1})),
        *(("submitted", submitted), ("submitted", {**submitted, "claim": "0x" + "11" * 65})),
        ("submitted", {**submitted, "signed_transaction": "AAAA"}),
    ]
    for secret, (path, more) in product((STRANGERS, ""), deeds):
        stranger = Payer.of(intent, address=STRANGERS_WALLET, browser=secret)
        reply = refused(stranger, path, {"attempt_id": mine["id"], **more}, 403)
        assert_refused(reply, 403, "attempt_of_another_browser")
    assert payer_of(intent).state()["attempt"]["transactions"] == mine["transactions"]


def test_the_payer_pays_whatever_the_stranger_does(world: World, api: ApiClient) -> None:
    """The hijack of an attempt that waits for its signature, as far as it goes."""
    intent = create(api)
    payer, stranger = payer_of(intent), stranger_of(intent)
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
    payer, stranger = payer_of(intent), stranger_of(intent)
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
    payer, stranger = payer_of(intent), stranger_of(intent)
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
    payer, stranger = payer_of(intent), stranger_of(intent)
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
    payer, stranger = payer_of(intent), stranger_of(intent)
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
    payer = payer_of(intent)
    mine = payer.start(world)
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
    one_more = stranger_of(intent)
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
    payer_of(intent).start(world)
    assert SECRET not in str(all_rows())
    attempt = PaymentAttempt.objects.get()
    assert (len(attempt.browser), attempt.mode) == (64, Mode.TEST)


def test_a_guessed_idempotency_key_shows_nothing(world: World, api: ApiClient) -> None:
    intent, wallet = create(api), {"family": "evm", "address": EVM_WALLET}
    payer_of(intent).act("wallet", wallet, Idempotency_Key="order-1")
    reply = stranger_of(intent).send("POST", "/wallet", wallet, Idempotency_Key="order-1")
    assert reply.headers.get("Idempotent-Replayed") is None
