"""Payments with real transactions: a wallet in the browser signs what the service made, the merchant has the money."""

import pytest
from playwright.sync_api import expect

from localnet.addresses import DIAMOND
from tests.browser.live.conftest import Shop, asset
from tests.browser.looks import faults
from tests.browser.payer import part

TARGET = 25_000_000


def allowance(shop: Shop, chain: str, symbol: str) -> int:
    """What LI.FI may take of the payer's token."""
    token = shop.nodes[chain].token(asset(chain, symbol).address)
    return int(token.functions.allowance(shop.evm.address, DIAMOND).call())


def begin(shop: Shop, given: tuple[str, str], settlement: tuple[str, str]) -> None:
    """A payer has a token, chooses it for an intent in another or the same, and its wallet is asked."""
    shop.give(*given)
    shop.open(*settlement)
    shop.choose("solana" if given[0] == "solana" else "evm", *given)
    shop.press_pay()


def test_the_settlement_token_on_its_own_chain(shop: Shop) -> None:
    begin(shop, ("base", "USDC"), ("base", "USDC"))
    leg = shop.settled()
    assert (leg["kind"], leg["provider"], leg["tx_hash"]) == ("transfer", "direct", leg["destination_tx_hash"])
    assert (shop.held(), len(shop.evm.sent)) == (TARGET, 1)


@pytest.mark.exhaustive
def test_a_swap_with_its_approval_before(shop: Shop) -> None:
    begin(shop, ("ethereum", "USDT"), ("ethereum", "USDC"))
    leg = shop.settled()
    assert (leg["kind"], leg["provider"]) == ("swap", "lifi")
    token = asset("ethereum", "USDT").address.lower()
    assert [one["to"].lower() for one in shop.evm.sent] == [token, DIAMOND.lower()]
    assert allowance(shop, "ethereum", "USDT") == 0


def test_solana_where_the_wallet_only_signs(shop: Shop) -> None:
    begin(shop, ("solana", "USDC"), ("solana", "USDC"))
    leg = shop.settled()
    assert (leg["kind"], leg["chain"]) == ("transfer", "solana")
    assert shop.ledger.rpc("getSignatureStatuses", [leg["tx_hash"]])["value"][0]["err"] is None


@pytest.mark.exhaustive
def test_a_swap_in_one_request_of_a_smart_account(shop: Shop) -> None:
    shop.evm.batches = True
    begin(shop, ("ethereum", "USDT"), ("ethereum", "USDC"))
    leg = shop.settled()
    assert (leg["kind"], leg["tx_hash"]) == ("swap", next(iter(shop.evm.bundles.values())))
    assert [len(one["calls"]) for one in shop.evm.sent] == [2]


@pytest.mark.exhaustive
def test_a_bridge_from_solana(shop: Shop) -> None:
    begin(shop, ("solana", "USDC"), ("base", "USDC"))
    leg = shop.settled()
    assert (leg["kind"], leg["provider"], leg["chain"], leg["to_chain"]) == ("bridge", "lifi", "solana", "base")
    assert shop.nodes["base"].await_receipt(leg["destination_tx_hash"])["status"] == 1


@pytest.mark.spec("Rulings C14.3")
@pytest.mark.exhaustive
def test_an_approval_that_no_payment_used_is_shown_and_taken_back(shop: Shop) -> None:
    shop.evm.declines = {2}
    begin(shop, ("ethereum", "USDT"), ("ethereum", "USDC"))
    shop.title("You declined the payment in your wallet.")
    expect(part(shop.page, "open-allowance")).to_contain_text("USDT")
    assert faults(shop.page) == []
    assert allowance(shop, "ethereum", "USDT") > TARGET
    shop.page.reload()
    part(shop.page, "revoke-button").click()
    expect(part(shop.page, "open-allowance")).to_have_count(0)
    assert allowance(shop, "ethereum", "USDT") == 0
    assert (shop.held(), shop.read()["status"]) == (0, "requires_payment")
