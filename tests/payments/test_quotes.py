"""Quotes: refreshed without a word, lapsed once, one open attempt. Source: rulings, section C 3 and 4."""

import json
from typing import Any

import pytest

from payments.models import PaymentAttempt, RouteCandidate
from payments.states import OPEN_ATTEMPT
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create, events, history, read
from webhooks.models import Event


def open_attempts() -> int:
    """How many tries are open."""
    return PaymentAttempt.objects.filter(status__in=OPEN_ATTEMPT).count()


def wish(attempt: dict[str, Any]) -> dict[str, str]:
    """The same token again."""
    return {"chain": attempt["chain"], "token_address": attempt["token_address"]}


@pytest.mark.spec("Contract 2.1")
@pytest.mark.spec("created: routing plan produced: quoted")
def test_a_quote(world: World, api: ApiClient) -> None:
    intent = create(api)
    attempt = Payer.of(intent).quote(world, "base", "USDC")
    assert history(intent) == ["created", "requires_payment", "quoted"]
    assert events(intent) == ["created", "quoted"]
    exact = {
        "number": 1,
        "status": "quoted",
        "chain": "base",
        "token": "USDC",
        "pay_at_most": "25.00",
        "pay_at_most_usd": "25.00",
        "merchant_gets_at_least": "25.00",
        "merchant_token": "USDC",
        "fee_usd": "0.00",
        "gas_usd": "0.01",
        "quote_expires_at": "2026-05-04T12:01:00.000Z",
        "refund_to": "0x7e57000000000000000000000000000000000001",
        "transactions": [],
    }
    assert {name: attempt[name] for name in exact} == exact


@pytest.mark.spec("Rulings C3.1")
@pytest.mark.spec("Refreshing a quote inside quoted is no transition and no event")
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


@pytest.mark.spec("Rulings C3.1; Contract 2.2")
@pytest.mark.spec("quoted: quote lapsed: requires_payment")
def test_a_quote_lapses_once(world: World, api: ApiClient) -> None:
    intent = create(api)
    Payer.of(intent).quote(world)
    world.wait(59.5)
    world.run(0)
    assert read(api, intent)["status"] == "quoted"
    world.wait(0.5)
    world.run(3)
    assert history(intent) == ["created", "requires_payment", "quoted", "requires_payment"]
    assert events(intent) == ["created", "quoted"]
    assert open_attempts() == 0


@pytest.mark.spec("Contract 0.1")
def test_a_lapsed_quote_cannot_be_accepted(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.quote(world)
    world.wait(60)
    reply = payer.send("POST", "/start", {"attempt_id": attempt["id"]})
    assert (reply.status, reply.body["code"], reply.body["details"]) == (409, "quote_expired", {})
    assert history(intent)[-1] == "quoted"
    world.run(1)
    reply = payer.send("POST", "/start", {"attempt_id": attempt["id"]})
    assert (reply.status, reply.body["code"]) == (409, "quote_expired")


@pytest.mark.spec("Contract 2.2")
@pytest.mark.spec("quoted: payer changed token: requires_payment")
def test_another_token_withdraws_the_quote(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    payer.quote(world, "base", "USDC")
    second = payer.quote(world, "polygon", "USDC")
    assert (second["number"], second["chain"]) == (2, "polygon")
    assert history(intent) == ["created", "requires_payment", "quoted", "requires_payment", "quoted"]
    assert events(intent) == ["created", "quoted", "quoted"]
    assert open_attempts() == 1


@pytest.mark.spec("One open attempt per intent")
def test_two_tabs_have_one_attempt(world: World, api: ApiClient) -> None:
    intent = create(api)
    one, two = Payer.of(intent), Payer.of(intent)
    first = one.start(world)
    assert two.state()["attempt"]["id"] == first["id"]
    for path, body in (("wallet", {"family": "evm", "address": two.address}), ("quote", wish(first))):
        reply = two.send("POST", f"/{path}", body)
        assert (reply.status, reply.body["code"]) == (409, "intent_not_payable")
        assert reply.body["details"] == {"status": "awaiting_signature"}
    assert open_attempts() == 1


def test_accepting_twice_is_once(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.quote(world)
    for _ in range(2):
        payer.act("start", {"attempt_id": attempt["id"]})
    world.run(1)
    payer.act("start", {"attempt_id": attempt["id"]})
    assert history(intent) == ["created", "requires_payment", "quoted", "awaiting_signature"]


@pytest.mark.spec("Contract 2.3")
@pytest.mark.spec("awaiting_signature: payer rejects, or 10 min without signature")
@pytest.mark.parametrize("reason", ["payer_rejected", "abandoned", None])
def test_declining(world: World, api: ApiClient, reason: str | None) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.start(world)
    state = payer.act("rejected", {"attempt_id": attempt["id"]} | ({"reason": reason} if reason else {}))
    assert (state["status"], state["attempt"]["status"], state["attempt"]["transactions"]) == (
        "requires_payment",
        "abandoned",
        [],
    )
    assert state["legs"][0]["status"] == "failed"
    assert history(intent)[-2:] == ["awaiting_signature", "requires_payment"]
    payer.act("rejected", {"attempt_id": attempt["id"]})
    assert history(intent)[-2:] == ["awaiting_signature", "requires_payment"]


@pytest.mark.spec("Contract 2.3")
@pytest.mark.spec("awaiting_signature: payer rejects, or 10 min without signature")
def test_ten_minutes_without_a_signature(world: World, api: ApiClient) -> None:
    intent = create(api)
    Payer.of(intent).start(world)
    world.wait(599.5)
    world.run(0)
    assert read(api, intent)["status"] == "awaiting_signature"
    world.wait(0.5)
    world.run(1)
    assert history(intent)[-2:] == ["awaiting_signature", "requires_payment"]
    assert open_attempts() == 0


def test_declining_what_is_on_its_way_changes_nothing(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.start(world)
    payer.pay(attempt)
    world.run(0.5)
    payer.act("rejected", {"attempt_id": attempt["id"]})
    world.run(4)
    assert history(intent)[-2:] == ["executing", "settled"]


@pytest.mark.spec("Target and rate freeze at the first firm quote")
def test_the_target_is_frozen_by_the_first_quote(world: World, api: ApiClient) -> None:
    intent = create(api, settlement_token="ETH")
    payer = Payer.of(intent)
    first = payer.quote(world, "base", "USDC")
    second = payer.quote(world, "polygon", "USDC")
    assert first["merchant_gets_at_least"] == second["merchant_gets_at_least"]


def test_candidates_of_every_attempt_are_kept(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    payer.quote(world, "base", "ETH")
    payer.quote(world, "polygon", "USDC")
    shown = api.get(f"/payment-intents/{intent['id']}/routing").body["data"]
    assert [one["from_chain"] for one in shown if one["chosen"]] == ["polygon", "base"]
    assert shown[0]["from_chain"] == "polygon"


def test_a_quote_that_finds_no_route_says_so(world: World, api: ApiClient) -> None:
    intent = create(api, metadata={"simulate": "fail_route"})
    payer = Payer.of(intent)
    tokens = payer.connect()
    attempt = payer.choose(tokens[0])
    state = payer.state()
    assert (attempt["status"], state["status"], state["last_error"]["code"]) == (
        "failed",
        "requires_payment",
        "route_unavailable",
    )
    assert attempt["transactions"] == []
    assert open_attempts() == 0


def test_a_refresh_that_finds_no_route_withdraws_the_quote(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    attempt = payer.quote(world)
    payer.act("quote", {**wish(attempt), "scenario": "fail_route"})
    world.run(1)
    shown = read(api, intent)
    assert (shown["status"], shown["last_error"]["code"]) == ("requires_payment", "route_unavailable")
    assert history(intent)[-2:] == ["quoted", "requires_payment"]


def test_a_good_quote_forgets_the_last_error(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    tokens = payer.connect()
    payer.choose(tokens[0], scenario="fail_route")
    assert read(api, intent)["last_error"] is not None
    payer.choose(tokens[0])
    assert read(api, intent)["last_error"] is None
