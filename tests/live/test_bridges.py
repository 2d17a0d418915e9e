"""Paying from another chain by Across, from the door through both chains to the merchant."""

import pytest

from localnet.lifi import Conduct
from payments.routing.lifi.status import status
from tests.live.buyer import Buyer


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


def test_without_lifis_fee_the_bridge_is_called_alone(buyer: Buyer) -> None:
    """The payer closed the page, and is found."""
    buyer.shop.terms.lifi_fee *= 0
    attempt = buyer.issue("12.34")
    assert attempt["transactions"][0]["request"]["data"].startswith("0xa1f1ce43")
    tx_hash = buyer.pay(attempt)
    assert buyer.arrive()["status"] == "settled"
    assert (buyer.held() >= 12_340_000, buyer.leg().tx_hash) == (True, tx_hash)


@pytest.mark.spec("Rulings C7.1")
@pytest.mark.parametrize("conduct", [Conduct.ELSEWHERE, Conduct.INVENTED])
def test_a_fill_that_is_not_the_merchants_is_not_credited(buyer: Buyer, conduct: Conduct) -> None:
    buyer.shop.relayer.conduct = conduct
    buyer.issue_and_pay()
    assert (buyer.arrive()["status"], buyer.credited()) == ("executing", [])
