"""Quotes: refreshed without a word, lapsed once, one open attempt. Source: rulings, section C 3 and 4."""

import json
from typing import Any

import pytest

from payments.models import PaymentAttempt, RouteCandidate
from payments.states import OPEN_ATTEMPT
from tests.conftest import ApiClient
from tests.payments.payer import EVM_WALLET, Payer
from tests.payments.world import World, create, events, history, read
from webhooks.models import Event


def open_attempts() -> int:
    return PaymentAttempt.objects.filter(status__in=OPEN_ATTEMPT).count()


def wish(attempt: dict[str, Any]) -> dict[str, str]:
    return {"chain": attempt["chain"], "token_address": attempt["token_address"]}


@pytest.mark.spec("Contract 2.1; created: routing plan produced: quoted")
def test_a_quote(world: World, api: ApiClient) -> None:
    intent = create(api)
    attempt = Payer.of(intent).quote(world, "base", "USDC")
    assert history(intent) == ["created", "requires_payment", "quoted"]
    assert events(intent) == ["created", "quoted"]
    exact = {
        **{"number": 1, "status": "quoted", "chain": "base", "token": "USDC", "transactions": []},
        **{"pay_at_most": "25.00", "pay_at_most_usd": "25.00", "fee_usd": "0.00", "gas_usd": "0.01"},
        **{"merchant_gets_at_least": "25.00", "merchant_token": "USDC", "refund_to": EVM_WALLET},
        "quote_expires_at": "2026-05-04T12:01:00.000Z",
    }
    assert {name: attempt[name] for name in exact} == exact


@pytest.mark.spec("Rulings C3.1; Refreshing a quote inside quoted is no transition and no event")
def test_a_refresh_is_silent(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    first = payer.quote(world, "ethereum", "USDC")
    told = json.loads(Event.objects.filter(type="payment_intent.quoted").get().payload)
    for _ in range(3):
        world.wait(50)
        payer.act("quote", wish(first))
        world.run(0.5)
    again = payer.state()["attempt"]
    assert (again["id"], again["number"], again["status"]) == (first["id"], 1, "quoted")
    assert again["quote_expires_at"] > first["quote_expires_at"]
    assert history(intent) == ["created", "requires_payment", "quoted"]
    assert events(intent) == ["created", "quoted"]
    assert told["sequence"] == 2
    assert RouteCandidate.objects.values("attempt").distinct().count() == 1
    assert RouteCandidate.objects.filter(chosen=True).count() == 1
    payer.act("start", {"attempt_id": first["id"]})
    world.run(0.5)
    payer.pay(payer.state()["attempt"])
    world.run(5)
    assert read(api, intent)["status"] == "settled"


@pytest.mark.spec("Rulings C3.1; Contract 2.2; Contract 0.1; quoted: quote lapsed: requires_payment")
def test_a_quote_lapses_once_and_cannot_be_accepted_any_more(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    start = {"attempt_id": payer.quote(world)["id"]}
    world.wait(59.5)
    world.run(0)
    assert read(api, intent)["status"] == "quoted"
    world.wait(0.5)
    reply = payer.send("POST", "/start", start)
    assert (reply.status, reply.body["code"], reply.body["details"]) == (409, "quote_expired", {})
    assert history(intent)[-1] == "quoted"
    world.run(3)
    reply = payer.send("POST", "/start", start)
    assert (reply.status, reply.body["code"]) == (409, "quote_expired")
    assert history(intent) == ["created", "requires_payment", "quoted", "requires_payment"]
    assert (events(intent), open_attempts()) == (["created", "quoted"], 0)


@pytest.mark.spec("Contract 2.2; quoted: payer changed token: requires_payment")
@pytest.mark.spec("Target and rate freeze at the first firm quote")
def test_another_token_withdraws_the_quote_and_keeps_target_and_candidates(world: World, api: ApiClient) -> None:
    intent = create(api, settlement_token="ETH")
    payer = Payer.of(intent)
    first = payer.quote(world, "base", "USDC")
    second = payer.quote(world, "polygon", "USDC")
    assert (second["number"], second["chain"]) == (2, "polygon")
    assert first["merchant_gets_at_least"] == second["merchant_gets_at_least"]
    assert history(intent) == ["created", "requires_payment", "quoted", "requires_payment", "quoted"]
    assert (events(intent), open_attempts()) == (["created", "quoted", "quoted"], 1)
    shown = api.get(f"/payment-intents/{intent['id']}/routing").body["data"]
    assert [one["from_chain"] for one in shown if one["chosen"]] == ["polygon", "base"]
    assert shown[0]["from_chain"] == "polygon"


@pytest.mark.spec("One open attempt per intent")
def test_two_tabs_have_one_attempt_and_accept_it_once(world: World, api: ApiClient) -> None:
    intent = create(api)
    one, two = Payer.of(intent), Payer.of(intent)
    first = one.quote(world)
    for payer in (one, two):
        payer.act("start", {"attempt_id": first["id"]})
    world.run(1)
    two.act("start", {"attempt_id": first["id"]})
    assert history(intent) == ["created", "requires_payment", "quoted", "awaiting_signature"]
    assert two.state()["attempt"]["id"] == first["id"]
    for path, body in (("wallet", {"family": "evm", "address": two.address}), ("quote", wish(first))):
        reply = two.send("POST", f"/{path}", body)
        assert (reply.status, reply.body["code"]) == (409, "intent_not_payable")
        assert reply.body["details"] == {"status": "awaiting_signature"}
    assert open_attempts() == 1


@pytest.mark.spec("Contract 2.3; awaiting_signature: payer rejects, or 10 min without signature")
def test_a_signature_that_is_declined_or_never_comes(world: World, api: ApiClient) -> None:
    """Declining once more changes nothing, nor does declining what is on its way."""
    intent = create(api)
    payer = Payer.of(intent)
    for reason in ({"reason": "payer_rejected"}, {"reason": "abandoned"}, {}):
        declined = {"attempt_id": payer.start(world)["id"]} | reason
        state = payer.act("rejected", declined)
        assert (state["status"], state["attempt"]["status"]) == ("requires_payment", "abandoned")
        assert (state["attempt"]["transactions"], state["legs"][0]["status"]) == ([], "failed")
        before = history(intent)
        assert before[-2:] == ["awaiting_signature", "requires_payment"]
        payer.act("rejected", declined)
        assert history(intent) == before
    payer.start(world)
    world.wait(599.5)
    world.run(0)
    assert read(api, intent)["status"] == "awaiting_signature"
    world.wait(0.5)
    world.run(1)
    assert history(intent)[-2:] == ["awaiting_signature", "requires_payment"]
    assert open_attempts() == 0
    payer.renew()
    attempt = payer.start(world)
    payer.pay(attempt)
    world.run(0.5)
    payer.act("rejected", {"attempt_id": attempt["id"]})
    world.run(4)
    assert history(intent)[-2:] == ["executing", "settled"]


def test_a_quote_that_finds_no_route_says_so_until_a_good_one(world: World, api: ApiClient) -> None:
    intent = create(api, metadata={"simulate": "fail_route"})
    payer = Payer.of(intent)
    tokens = payer.connect()
    attempt, state = payer.choose(tokens[0]), payer.state()
    assert (attempt["status"], attempt["transactions"], open_attempts()) == ("failed", [], 0)
    assert (state["status"], state["last_error"]["code"]) == ("requires_payment", "route_unavailable")
    attempt = payer.choose(tokens[0], scenario="settle")
    assert (read(api, intent)["status"], read(api, intent)["last_error"]) == ("quoted", None)
    payer.act("quote", {**wish(attempt), "scenario": "fail_route"})
    world.run(1)
    shown = read(api, intent)
    assert (shown["status"], shown["last_error"]["code"]) == ("requires_payment", "route_unavailable")
    assert history(intent)[-2:] == ["quoted", "requires_payment"]
