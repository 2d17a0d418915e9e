"""Swaps of the local LI.FI: quoted, signed and carried out on a node."""

from decimal import Decimal

import pytest

from localnet.lifi import Lifi
from localnet.lifi.calldata import LIFI_WALLET, contract
from tests.localnet.conftest import Shopper, asset

PAIRS = [
    ("ethereum", "DAI", "USDC"),
    ("ethereum", "USDT", "USDC"),
    ("ethereum", "ETH", "USDC"),
    ("ethereum", "USDC", "ETH"),
    ("base", "WETH", "USDC"),
    ("bnb", "BNB", "USDT"),
    ("bnb", "USDT", "USDC"),
]


@pytest.mark.parametrize("lifi_fee", ["0.0025", "0"], ids=["with-a-fee", "without"])
@pytest.mark.parametrize(("chain", "taken", "wanted"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_a_swap_delivers_what_was_asked(
    lifi: Lifi, shopper: Shopper, taken: str, wanted: str, chain: str, lifi_fee: str
) -> None:
    lifi.terms.lifi_fee = Decimal(lifi_fee)
    end = asset(chain, wanted)
    asked = 25 * 10**end.decimals // 7
    quote = shopper.quote_to(asset(chain, taken), end, asked)
    estimate = quote["estimate"]
    assert int(estimate["toAmountMin"]) >= asked
    tx_hash = shopper.pay(quote)
    assert shopper.succeeded(chain, tx_hash)
    assert shopper.received(end) == int(estimate["toAmount"])
    told = shopper.status(tx_hash)
    assert (told["status"], told["substatus"]) == ("DONE", "COMPLETED")
    assert told["receiving"]["amount"] == estimate["toAmount"]
    assert told["transactionId"] == quote["transactionId"]


@pytest.mark.parametrize("units", [1_000_000, 999_999_999, 123_456_789_012], ids=["one", "thousand", "large"])
def test_the_amount_solved_for_is_the_smallest(shopper: Shopper, units: int) -> None:
    taken, wanted = asset("ethereum", "ETH"), asset("ethereum", "USDC")
    quote = shopper.quote_to(taken, wanted, units)
    amount = int(quote["estimate"]["fromAmount"])
    for given, enough in ((amount, True), (amount - 1, False)):
        again = shopper.ask("/quote", **shopper.order(taken, wanted, fromAmount=given)).json()
        assert (int(again["estimate"]["toAmountMin"]) >= units) is enough


def test_a_price_that_moved_reverts(shopper: Shopper, lifi: Lifi) -> None:
    taken, wanted = asset("ethereum", "DAI"), asset("ethereum", "USDC")
    quote = shopper.quote_to(taken, wanted, 25_000_000)
    lifi.market.usd["DAI"] = Decimal("0.99")
    node = lifi.nodes["ethereum"]
    node.open_market(lifi.market)
    try:
        tx_hash = shopper.pay(quote)
    finally:
        lifi.market.usd.clear()
        node.open_market(type(lifi.market)())
    assert not shopper.succeeded("ethereum", tx_hash)
    assert shopper.received(wanted) == 0
    assert shopper.status(tx_hash)["status"] == "FAILED"


def test_the_fees_go_where_the_quote_says(shopper: Shopper, lifi: Lifi) -> None:
    taken, wanted = asset("base", "USDC"), asset("base", "WETH")
    node = lifi.nodes["base"]
    before = node.balance(taken.address, LIFI_WALLET)
    quote = shopper.quote_to(taken, wanted, 10**16, integrator="causeway", fee="0.01")
    [cost] = quote["estimate"]["feeCosts"]
    split = cost["feeSplit"]
    assert int(cost["amount"]) == int(split["integratorFee"]) + int(split["lifiFee"])
    assert int(split["integratorFee"]) == int(quote["estimate"]["fromAmount"]) // 100
    shopper.pay(quote)
    assert node.balance(taken.address, LIFI_WALLET) - before == int(split["lifiFee"])


def test_a_quote_has_the_form_that_wallets_take(shopper: Shopper) -> None:
    quote = shopper.quote_to(asset("ethereum", "ETH"), asset("ethereum", "USDC"), 5_000_000)
    request = quote["transactionRequest"]
    assert request["to"] == quote["estimate"]["approvalAddress"] == "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
    assert int(request["value"], 16) == int(quote["estimate"]["fromAmount"]) == int(quote["action"]["fromAmount"])
    assert request["chainId"] == 1
    _, arguments = contract("Diamond").decode_function_input(request["data"])
    assert arguments["receiver"] == shopper.merchant
    assert arguments["minAmountOut"] == int(quote["estimate"]["toAmountMin"])
    assert "0x" + arguments["transactionId"].hex() == quote["transactionId"]
