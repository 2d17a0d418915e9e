"""No single balance suffices: one transaction after the other, the last for exactly what is still missing."""

from typing import Any

import pytest

from localnet.nodes import fresh_wallet
from tests.live.buyer import DEEP_ENOUGH, EXCHANGE_GAS, Buyer, asset

HOME, AWAY = asset("base", "USDC"), asset("arbitrum", "USDC")
FEES = 4 * 10**15
"""In coins: enough for network fees, and too little to pay with."""


@pytest.fixture
def buyer(buyer: Buyer) -> Buyer:
    """Somebody with 15 USDC on Base and as much on Arbitrum, who is to pay 25 on Base."""
    buyer.payer = fresh_wallet()
    for token in (AWAY, HOME):
        node = buyer.shop.nodes[token.chain]
        node.mint(token.address, buyer.payer.address, 15_000_000)
        node.fund(buyer.payer.address, FEES)
    return buyer


def _issue(buyer: Buyer) -> dict[str, Any]:
    page = buyer.open("25")
    tokens = page.connect()
    [home] = [token for token in tokens if token["token_address"] == HOME.address]
    attempt = page.choose(home)
    assert [(part["chain"], part["pay_at_most"]) for part in attempt["parts"]][0] == ("base", "15.00")
    assert len(attempt["parts"]) == 2
    return buyer.accept(attempt)


def _pay_first(buyer: Buyer, attempt: dict[str, Any]) -> dict[str, Any]:
    """Sign the first part; the attempt once it stands for good."""
    [first] = attempt["transactions"]
    assert (first["leg_sequence"], first["chain"]) == (1, "base")
    buyer.node.send(buyer.payer, first["request"])
    buyer.sweep()
    buyer.node.mine(DEEP_ENOUGH)
    buyer.sweep(2)
    now: dict[str, Any] = buyer.page.state()["attempt"]
    return now


def test_the_second_is_asked_for_when_the_first_has_arrived(buyer: Buyer) -> None:
    attempt = _pay_first(buyer, _issue(buyer))
    [second] = attempt["transactions"]
    assert (second["leg_sequence"], second["chain"]) == (2, "arbitrum")
    for call in (*second["approvals"], second["request"]):
        buyer.source.send(buyer.payer, call, gas=EXCHANGE_GAS)
    buyer.source.mine(DEEP_ENOUGH)
    assert buyer.arrive()["status"] == "settled"
    first_units, second_units = buyer.credited()
    assert (first_units, buyer.held()) == (15_000_000, first_units + second_units)
    assert second_units >= 10_000_000
    assert buyer.told() == ["created", "quoted", "executing", "settled"]


def test_a_route_that_is_gone_when_its_turn_comes_leaves_the_rest_to_be_topped_up(buyer: Buyer) -> None:
    issued = _issue(buyer)
    buyer.shop.lie("/quote/toAmount", times=-1, status=404, body={"message": "No available quotes", "code": 1002})
    attempt = _pay_first(buyer, issued)
    assert (attempt["transactions"], buyer.sweep()["status"]) == ([], "partially_filled")
    assert (buyer.credited(), buyer.sweep()["amount_due"]) == ([15_000_000], "10.00")
    assert buyer.told() == ["created", "quoted", "executing", "partially_filled"]
