"""What stands before signing: each token and route with its reason, terms that never get dearer unseen; and after."""

from decimal import Decimal
from typing import Any

import pytest

from checkout.words.legs import NOTES
from payments.models import Leg, PaymentAttempt
from tests.checkout.pages import read_page, visit
from tests.checkout.test_payer_actions import HASH, problems, refused
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create
from tokens import price_rules as prices

FIGURES = ("pay_amount", "pay_usd", "fee_usd", "gas_usd", "duration_sec")
TERMS = {"pay_base_units": ["25046150"], "fee_usd": "0.04615", "gas_usd": "0.024", "due_base_units": "25000000"}


@pytest.mark.spec("Hosted checkout: balances across chains")
def test_every_token_says_what_it_costs_and_why(world: World, api: ApiClient) -> None:
    tokens = Payer.of(create(api)).connect()
    for token in tokens:
        assert all(token[name] is not None for name in (*FIGURES, "balance", "balance_usd", "chain_name")), token
        assert token["reason"]
    told = {(token["chain_name"], token["symbol"]): (token["reason_code"], token["reason"]) for token in tokens}
    exact = {
        ("Base", "USDC"): ("exact", "The exact amount, sent directly: nothing is converted."),
        ("Base", "ETH"): ("dearer_and_slower", "Costs $0.04 more than the best choice and takes 12 seconds longer."),
        ("Ethereum", "DAI"): ("dearer_and_slower", "Costs $1.39 more than the best choice and takes 3 minutes longer."),
    }
    assert {name: told[name] for name in exact} == exact
    [dust] = [token for token in tokens if not token["sufficient"]]
    assert dust["reason"] == f"Not enough: {dust['pay_amount']} {dust['symbol']} would be needed."
    assert [token["recommended"] for token in tokens] == [True, *[False] * (len(tokens) - 1)]


@pytest.mark.spec("Hosted checkout: quote")
def test_the_worst_case_and_every_route_are_shown_before_signing(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    attempt = payer.quote(world, "polygon", "USDC")
    worst = ("pay_at_most", "pay_at_most_usd", "merchant_gets_at_least", "fee_usd", "gas_usd", "total_usd")
    assert [attempt[name] for name in worst] == ["25.04615", "25.04615", "25.00", "0.04615", "0.024", "25.07015"]
    assert attempt["terms"] == TERMS
    assert attempt["route"] == "The best balance of cost, time and safety."
    shown = ("provider", "provider_name", "chosen", "cost_usd", "duration_sec", "reason_code", "works")
    assert [tuple(route[name] for name in shown) for route in attempt["routes"]] == [
        ("meridian", "Meridian", True, "0.07015", 46, "best_balance", True),
        ("atlas", "Atlas", False, "0.093875", 31, "dearer_but_faster", True),
        ("meridian", "Meridian", False, "0.047625", 126, "cheaper_but_slower", True),
        ("atlas", "Atlas", False, "0.041675", 906, "cheaper_but_slower", True),
    ]
    assert {(route["chain"], route["token"]) for route in attempt["routes"]} == {("polygon", "USDC")}
    assert all(route["reason"] for route in attempt["routes"])
    payer.pay(payer.start(world, "polygon", "USDC"))
    world.run(1)
    assert (payer.state()["attempt"]["routes"], payer.state()["attempt"]["terms"]) == ([], None)


def test_a_payment_in_parts_says_so(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api), address="0x7e57000000000000000000000000000000005b17")
    attempt = payer.quote(world)
    assert attempt["route"] == "No single balance suffices, so several transactions share the amount: 3."
    assert len(attempt["parts"]) == len(attempt["terms"]["pay_base_units"]) == 3
    assert [route["chosen"] for route in attempt["routes"]][:4] == [True, True, True, False]


@pytest.mark.spec("Hosted checkout: a higher cost asks again")
def test_what_was_not_on_the_screen_does_not_start(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    attempt = payer.quote(world, "polygon", "USDC")
    for terms, problem in MALFORMED:
        reply = refused(payer, "start", {"attempt_id": attempt["id"], "terms": terms}, 400)
        assert problems(reply) == [problem]
    for screen in DEARER:
        reply = refused(payer, "start", {"attempt_id": attempt["id"], "terms": {**TERMS, **screen}}, 409)
        assert reply.body["code"] == "quote_expired", screen
    better = {"pay_base_units": ["25046151"], "fee_usd": "0.05", "gas_usd": "1", "due_base_units": "24999999"}
    assert payer.act("start", {"attempt_id": attempt["id"], "terms": better})["attempt"]["status"] == "preparing"


DEARER: list[dict[str, Any]] = [
    *({"pay_base_units": ["25046149"]}, {"pay_base_units": ["25046150", "0"]}),
    *({"fee_usd": "0.046149"}, {"gas_usd": "0.023999"}, {"due_base_units": "25000001"}),
]
MALFORMED: list[tuple[object, tuple[str, str]]] = [
    (7, ("terms.non_field_errors", "format")),
    ({**TERMS, "pay_base_units": []}, ("terms.pay_base_units", "format")),
    ({**TERMS, "pay_base_units": ["-1"]}, ("terms.pay_base_units.0", "format")),
    ({**TERMS, "fee_usd": "1e9"}, ("terms.fee_usd", "format")),
    ({**TERMS, "due_base_units": "٣"}, ("terms.due_base_units", "format")),
    ({**TERMS, "tip": "1"}, ("terms.tip", "unknown_field")),
]


def test_a_refresh_that_got_dearer_needs_another_click(
    world: World, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    payer = Payer.of(create(api))
    screen = payer.quote(world, "base", "ETH")
    eth = {"chain": screen["chain"], "token_address": screen["token_address"]}
    monkeypatch.setitem(prices.SIMULATED_USD_PRICES, "ETH", Decimal(2400))
    payer.act("quote", eth)
    world.run(0.5)
    dearer = payer.state()["attempt"]
    assert (dearer["id"], dearer["status"]) == (screen["id"], "quoted")
    assert int(dearer["terms"]["pay_base_units"][0]) > int(screen["terms"]["pay_base_units"][0])
    refused(payer, "start", {"attempt_id": screen["id"], "terms": screen["terms"]}, 409)
    monkeypatch.setitem(prices.SIMULATED_USD_PRICES, "ETH", Decimal(2600))
    payer.act("quote", eth)
    world.run(0.5)
    payer.act("start", {"attempt_id": screen["id"], "terms": dearer["terms"]})
    assert PaymentAttempt.objects.get(pk=screen["id"]).status == "preparing"


def row(payer: Payer) -> tuple[str, str]:
    """The status and the note of the only transaction, the same for the scripts and for a reader without them."""
    payer.token = Payer.of({"id": payer.intent_id}).token  # time passes, and tokens end
    [leg] = payer.state()["legs"]
    page = read_page(visit(payer.intent_id))
    assert page.text("leg-note") == leg["note"]
    return leg["status"], leg["note"]


@pytest.mark.spec("Hosted checkout: where the money is")
def test_a_bridged_payment_step_by_step(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    attempt = payer.start(world, "ethereum", "USDC")
    assert row(payer) == ("awaiting_signature", NOTES["unsigned"])
    payer.report(attempt, 1, payer.sign(attempt, 1))
    assert row(payer) == ("awaiting_signature", NOTES["reported"])
    world.run(1)
    assert row(payer) == ("confirming", "It has left Ethereum and is on its way to Base.")
    assert read_page(visit(payer.intent_id)).text("leg-time") == "1 second of about 3 minutes"
    [leg] = payer.state()["legs"]
    exact = {
        **{"sequence": 1, "own": True, "kind": "bridge", "token": "USDC", "to_token": "USDC", "amount_usd": 25},
        **{"chain": "ethereum", "chain_name": "Ethereum", "to_chain": "base", "to_chain_name": "Base"},
        **{"submitted_at": "2026-05-04T12:00:00.000Z", "destination_tx_hash": None},
    }
    assert {name: leg[name] for name in exact} == exact
    world.run(5)
    assert row(payer) == ("confirmed", NOTES["arrived"])
    assert read_page(visit(payer.intent_id)).text("leg-time").startswith("took ")
    [leg] = payer.state()["legs"]
    assert leg["submitted_at"] < leg["confirmed_at"]
    assert leg["destination_tx_hash"]
    assert (leg["explorer_url"], leg["destination_explorer_url"]) == (None, None)
    Leg.objects.update(mode="live", tx_hash=HASH, destination_tx_hash=HASH)
    links = [f"https://etherscan.io/tx/{HASH}", f"https://basescan.org/tx/{HASH}"]
    [leg] = payer.state()["legs"]
    assert [leg["explorer_url"], leg["destination_explorer_url"]] == links
    assert set(links) <= set(read_page(visit(payer.intent_id)).links)


def test_slow_and_lost_ones_say_so(world: World, api: ApiClient) -> None:
    told = {
        "stuck": ("submitted", NOTES["sent"]),
        "fail_execution": ("failed", NOTES["reverted"]),
        "bridge_refund": ("refunded", "It is back in your wallet on Ethereum."),
        "in_doubt": ("in_doubt", NOTES["in_doubt"]),
    }
    payers = {behaviour: Payer.of(create(api, expires_in_seconds=86_400)) for behaviour in told}
    for behaviour, payer in payers.items():
        payer.pay(payer.start(world, "ethereum", "USDC"), behaviour)
    world.run(8)
    assert {behaviour: row(payer) for behaviour, payer in payers.items()} == told
    world.wait(2992)
    world.run(1)
    assert row(payers["stuck"]) == ("submitted", NOTES["sent_slow"])
