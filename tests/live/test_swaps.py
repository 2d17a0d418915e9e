"""Paying with another token of the same chain, from the door through LI.FI's calls on a real node to the merchant."""

from decimal import Decimal
from typing import Any

import pytest

from core.clock import now
from localnet.lifi import GONE, Lifi
from localnet.nodes import ONE_COIN, fresh_wallet
from tests.conftest import ApiClient
from tests.live.buyer import Buyer, asset
from tokens.models import Token
from tokens.services import record_usd_price

ROUTER = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
STRANGER = fresh_wallet().address


@pytest.fixture
def buyer(live_api: ApiClient, lifi: Lifi) -> Buyer:
    """Somebody with 100 USDT on Base, a token that the operator verified, who pays USDC."""
    bridged = Token.objects.filter(chain="base", symbol="USDT")
    bridged.update(verified=True)
    for source in ("one", "other"):
        record_usd_price(bridged.get(), Decimal(1), now(), source)
    made = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    made.pays(asset("base", "USDT"), asset("base", "USDC"), 100_000_000)
    return made


def test_a_token_is_swapped_for_the_merchants(buyer: Buyer) -> None:
    attempt = buyer.issue("25")
    [unsigned] = attempt["transactions"]
    assert (unsigned["family"], unsigned["chain"], unsigned["chain_id"]) == ("evm", "base", 8453)
    assert (unsigned["request"]["to"], unsigned["request"]["value"]) == (ROUTER, "0x0")
    [approval] = buyer.approvals()
    assert (approval["to"], approval["value"]) == (buyer.paid.address, "0x0")
    tx_hash = buyer.pay(attempt)
    buyer.report(attempt, tx_hash)
    assert buyer.arrive()["status"] == "settled"
    leg = buyer.leg()
    assert (leg.kind, leg.provider, leg.tool, leg.status) == ("swap", "lifi", "localdex", "confirmed")
    assert buyer.spent(100_000_000) == leg.input_base_units
    assert int(approval["data"][-64:], 16) == leg.input_base_units
    assert buyer.held() >= 25_000_000
    assert (buyer.credited(), leg.tx_hash) == ([buyer.held()], tx_hash)
    assert buyer.source.token(buyer.paid.address).functions.allowance(buyer.payer.address, ROUTER).call() == 0


def test_without_lifis_fee_one_step_is_enough(buyer: Buyer) -> None:
    """The payer closed the page, and is found."""
    buyer.shop.terms.lifi_fee *= 0
    attempt = buyer.issue("12.34")
    assert attempt["transactions"][0]["request"]["data"].startswith("0x4666fc80")
    tx_hash = buyer.pay(attempt)
    assert buyer.arrive()["status"] == "settled"
    assert (buyer.held() >= 12_340_000, buyer.leg().tx_hash) == (True, tx_hash)


def test_an_allowance_that_suffices_is_used(buyer: Buyer) -> None:
    buyer.source.approve(buyer.payer, buyer.paid.address, ROUTER, 50_000_000)
    attempt = buyer.issue("25")
    assert buyer.approvals() == []
    buyer.report(attempt, buyer.pay(attempt))
    assert buyer.arrive()["status"] == "settled"


def test_an_allowance_of_a_token_that_resets_is_taken_back_first(buyer: Buyer) -> None:
    buyer.pays(asset("ethereum", "USDT"), asset("ethereum", "USDC"), 100_000_000)
    buyer.source.approve(buyer.payer, buyer.paid.address, ROUTER, 7)
    attempt = buyer.issue("25")
    amounts = [int(approval["data"][-64:], 16) for approval in buyer.approvals()]
    assert amounts == [0, buyer.leg().input_base_units]
    buyer.report(attempt, buyer.pay(attempt))
    assert buyer.arrive()["status"] == "settled"


LIES: list[tuple[str, dict[str, Any], str]] = [
    ("recipient in the call", {"call": {"receiver": STRANGER}}, "WRONG_RECIPIENT"),
    ("no transaction", {"fields": {"transactionRequest": GONE}}, "ANSWER_MALFORMED"),
    ("no quote", {"status": 404, "body": {"message": "No available quotes", "code": 1002}}, "NO_ROUTE"),
    ("hung up", {"hangs_up": True}, "PROVIDER_UNAVAILABLE"),
]
"""One of each kind. All that there are, without a node: tests/payments/lifi."""


@pytest.mark.parametrize(("lie", "code"), [pytest.param(lie[1], lie[2], id=lie[0]) for lie in LIES])
def test_a_lie_at_the_quote_leaves_no_route(buyer: Buyer, lie: dict[str, Any], code: str) -> None:
    buyer.shop.lie("/quote/toAmount", times=-1, **lie)
    assert (buyer.quoted("25")["status"], buyer.weighed()) == ("failed", [("lifi", False, code)])


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param({"call": {"receiver": STRANGER}}, id="recipient"),
        pytest.param({"fields": {"estimate.toAmountMin": "1"}}, id="minimum"),
        pytest.param({"call": {"swapData.1.callData": b"\x00\x00\x00\x00"}}, id="a call that fails"),
        pytest.param({"status": 404, "body": {"message": "No available quotes", "code": 1002}}, id="gone"),
    ],
)
def test_a_lie_when_the_payer_pays_has_him_asked_again(buyer: Buyer, lie: dict[str, object]) -> None:
    """Nothing is handed out; the next quote is honest, and can be paid."""
    attempt = buyer.quoted("25")
    buyer.shop.lie("/quote/toAmount", **lie)
    withdrawn = buyer.accept(attempt)
    assert withdrawn["status"] != "awaiting_signature"
    assert buyer.page is not None
    buyer.sweep(2)
    again = buyer.page.state()["attempt"]
    assert (again["status"], again["transactions"]) == ("quoted", [])
    paid = buyer.accept(again)
    assert paid["status"] == "awaiting_signature"
    buyer.report(paid, buyer.pay(paid))
    assert buyer.arrive()["status"] == "settled"


def test_a_price_that_rose_has_the_payer_asked_again(buyer: Buyer) -> None:
    buyer.pays(asset("base", "ETH"), asset("base", "USDC"), ONE_COIN)
    attempt = buyer.quoted("25")
    buyer.shop.market.usd["ETH"] *= 98
    buyer.shop.market.usd["ETH"] /= 100
    buyer.source.open_market(buyer.shop.market)
    try:
        assert buyer.accept(attempt)["status"] in {"quoted", "quoting"}
    finally:
        buyer.shop.market.usd["ETH"] *= 100
        buyer.shop.market.usd["ETH"] /= 98
        buyer.source.open_market(buyer.shop.market)


def test_a_payer_without_coins_for_the_fee_is_told(buyer: Buyer) -> None:
    buyer.source.fund(buyer.payer.address, 1)
    attempt = buyer.quoted("25")
    assert (attempt["status"], buyer.weighed()) == ("failed", [("lifi", False, "GAS_TOO_LOW")])
