"""Paying from another chain by Across, from the door through both chains to the merchant."""

import pytest

from localnet.lifi import Conduct, Lifi
from payments.routing.lifi.status import status
from tests.conftest import ApiClient
from tests.live.buyer import Buyer, asset


@pytest.fixture
def buyer(live_api: ApiClient, lifi: Lifi) -> Buyer:
    """Somebody with 100 USDC on Arbitrum, who pays USDC on Base."""
    made = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    made.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000)
    return made


@pytest.mark.spec("Contract 8.2")
def test_a_token_is_bridged_to_the_merchant(buyer: Buyer) -> None:
    attempt = buyer.issue("25")
    [unsigned] = attempt["transactions"]
    assert (unsigned["chain"], unsigned["chain_id"]) == ("arbitrum", 42161)
    tx_hash = buyer.pay(attempt)
    buyer.report(attempt, tx_hash)
    assert status(tx_hash, "across", "arbitrum", "base").report == "waiting"
    assert buyer.arrive()["status"] == "settled"
    leg = buyer.leg()
    assert (leg.kind, leg.provider, leg.bridge, leg.status) == ("bridge", "lifi", "across", "confirmed")
    assert buyer.held() >= 25_000_000
    assert buyer.credited() == [buyer.held()]
    delivery = buyer.shop.relayer.of(tx_hash)
    assert delivery is not None
    assert (leg.tx_hash, leg.destination_tx_hash) == (tx_hash, delivery.fill_hash)
    hint = status(tx_hash, "across", "arbitrum", "base")
    assert (hint.report, hint.destination_tx_hash) == ("done", delivery.fill_hash)


@pytest.mark.parametrize("fee", [1, 0], ids=["fee and bridge", "bridge alone"])
def test_with_and_without_lifis_fee(buyer: Buyer, fee: int) -> None:
    """The payer closed the page, and is found."""
    buyer.shop.terms.lifi_fee *= fee
    attempt = buyer.issue("12.34")
    selector = {1: "0x1794958f", 0: "0xa1f1ce43"}[fee]
    assert attempt["transactions"][0]["request"]["data"].startswith(selector)
    tx_hash = buyer.pay(attempt)
    assert buyer.arrive()["status"] == "settled"
    assert (buyer.held() >= 12_340_000, buyer.leg().tx_hash) == (True, tx_hash)


def test_nothing_is_settled_while_nobody_fills(buyer: Buyer) -> None:
    buyer.shop.relayer.conduct = Conduct.HOLD
    buyer.issue_and_pay()
    assert (buyer.arrive()["status"], buyer.credited()) == ("executing", [])
    buyer.shop.relayer.conduct = Conduct.FILL
    assert buyer.arrive()["status"] == "settled"


@pytest.mark.spec("Rulings C7.1")
@pytest.mark.parametrize("conduct", [Conduct.ELSEWHERE, Conduct.INVENTED])
def test_a_fill_that_is_not_the_merchants_is_not_credited(buyer: Buyer, conduct: Conduct) -> None:
    buyer.shop.relayer.conduct = conduct
    buyer.issue_and_pay()
    assert (buyer.arrive()["status"], buyer.credited()) == ("executing", [])
