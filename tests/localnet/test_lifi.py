"""The local LI.FI: what it quotes and carries out on nodes, what it refuses, and how it lies when it is told to."""

from decimal import Decimal
from typing import Any

import pytest
import requests

from localnet.lifi import GONE, Conduct, Lifi
from localnet.lifi.calldata import LIFI_WALLET, contract
from tests.live.buyer import asset
from tests.localnet.conftest import Shopper

NOWHERE = "0x00000000000000000000000000000000000E15e5"
REFUSALS: list[tuple[dict[str, Any], int, int]] = [
    ({"fromAddress": "me"}, 400, 1011),
    ({"fromAddress": ""}, 400, 1011),
    ({"slippage": "2"}, 400, 1011),
    ({"slippage": "much"}, 400, 1011),
    ({"toAmount": "0.5"}, 400, 1011),
    ({"fromChain": "5"}, 400, 1011),
    ({"fee": "0.01"}, 400, 1011),
    ({"slippageScope": "route"}, 400, 1011),
    ({"fromToken": NOWHERE}, 404, 1003),
    ({"allowBridges": "stargate"}, 404, 1002),
    ({"denyBridges": "across"}, 404, 1002),
    ({"toAmount": "1000"}, 404, 1002),
    ({"toAmount": str(10**14)}, 404, 1002),
    ({"fromAddress": NOWHERE}, 404, 1001),
]


def test_a_bad_question_is_refused_as_there(shopper: Shopper) -> None:
    taken, wanted = asset("arbitrum", "USDC"), asset("base", "USDC")
    shopper.enrich(taken)
    for change, status, code in REFUSALS:
        answer = shopper.ask("/quote/toAmount", **shopper.order(taken, wanted, toAmount=25_000_000) | change)
        told = answer.json()
        assert (change, answer.status_code, told["code"], told["message"] != "") == (change, status, code, True)


def test_tokens_and_chains_are_listed(shopper: Shopper) -> None:
    tokens = shopper.ask("/tokens", chains="1,56").json()["tokens"]
    assert sorted(tokens) == ["1", "56"]
    [usdc] = [one for one in tokens["56"] if one["symbol"] == "USDC"]
    assert (usdc["decimals"], usdc["priceUSD"], usdc["verificationStatus"]) == (18, "1", "verified")
    assert shopper.ask("/token", chain=1, token="ETH").json()["priceUSD"] == "2500"  # noqa: S106  Why: a coin.
    [solana] = shopper.ask("/tokens", chains=1151111081099710).json()["tokens"].values()
    assert {one["symbol"] for one in solana} == {"SOL", "USDC", "USDT", "WSOL"}
    diamonds = {one["id"]: one["diamondAddress"] for one in shopper.ask("/chains").json()["chains"]}
    assert sorted(diamonds) == [1, 10, 56, 137, 8453, 42161]


def test_a_lie_changes_one_field_once(shopper: Shopper, lifi: Lifi) -> None:
    lifi.lie("/quote/toAmount", fields={"action.toAddress": NOWHERE, "estimate.gasCosts": GONE})
    taken, wanted = asset("base", "WETH"), asset("base", "USDC")
    false = shopper.quote_to(taken, wanted, 25_000_000)
    assert (false["action"]["toAddress"], "gasCosts" in false["estimate"]) == (NOWHERE, False)
    assert shopper.quote_to(taken, wanted, 25_000_000)["action"]["toAddress"] == shopper.merchant


LIES: list[tuple[str, str, Any]] = [
    ("base", "receiver", NOWHERE),
    ("base", "minAmountOut", 1),
    ("base", "swapData.1.callTo", NOWHERE),
    ("ethereum", "bridgeData.receiver", NOWHERE),
    ("ethereum", "acrossData.outputAmount", lambda units: units // 2),
]


def test_a_lie_reaches_into_the_call(shopper: Shopper, lifi: Lifi) -> None:
    for wanted, path, value in LIES:
        lifi.lie(call={path: value})
        quote = shopper.quote_to(asset("base", "WETH"), asset(wanted, "USDC"), 25_000_000)
        found: Any = contract("Diamond").decode_function_input(quote["transactionRequest"]["data"])[1]
        for step in path.split("."):
            found = found[int(step) if step.isdigit() else step]
        honest = int(quote["estimate"]["toAmountMin"])
        assert (path, found) == (path, value(honest) if callable(value) else value)


def test_failures_come_on_command(shopper: Shopper, lifi: Lifi) -> None:
    lifi.lie(status=429, body={"message": "Too many requests", "code": 1005}, headers={"ratelimit-remaining": "0"})
    limited = shopper.ask("/chains")
    assert (limited.status_code, limited.headers["ratelimit-remaining"]) == (429, "0")
    lifi.lie(body=b"<html>gateway", times=2)
    assert [shopper.ask("/chains").text for _ in range(2)] == ["<html>gateway"] * 2
    lifi.lie(hangs_up=True)
    with pytest.raises(requests.ConnectionError):
        shopper.ask("/chains")
    assert (shopper.ask("/chains").status_code, [asked.path for asked in lifi.asked]) == (200, ["/chains"] * 5)


WAYS = [
    ("arbitrum", "USDC", "base", "USDC"),
    ("arbitrum", "ETH", "base", "ETH"),
    ("ethereum", "USDC", "bnb", "USDT"),
    ("bnb", "BNB", "base", "USDC"),
    ("ethereum", "USDT", "ethereum", "USDC"),
    ("ethereum", "USDC", "ethereum", "ETH"),
    ("base", "WETH", "base", "USDC"),
]
"""From a token of a chain to one of the same or another: a bridge and a swap, with the coin at either end."""


@pytest.mark.parametrize("fee", ["0", "0.0025"], ids=["without-a-fee", "with"])
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_what_was_asked_is_delivered(shopper: Shopper, lifi: Lifi, way: tuple[str, ...], fee: str) -> None:
    lifi.terms.lifi_fee = Decimal(fee)
    start, taken, end, wanted = way
    landed = asset(end, wanted)
    asked = 25 * 10**landed.decimals // 7
    quote = shopper.quote_to(asset(start, taken), landed, asked)
    assert int(quote["estimate"]["toAmountMin"]) >= asked
    tx_hash = shopper.pay(quote)
    assert shopper.succeeded(start, tx_hash)
    if start != end:
        assert (shopper.status(tx_hash)["substatus"], shopper.received(landed)) == ("WAIT_SOURCE_CONFIRMATIONS", 0)
        lifi.relayer.work()
    assert shopper.received(landed) == int(quote["estimate"]["toAmount"])
    told = shopper.status(tx_hash)
    assert (told["status"], told["substatus"], told["receiving"]["chainId"]) == ("DONE", "COMPLETED", landed.chain_id)
    assert shopper.succeeded(end, told["receiving"]["txHash"])
    if start != end:
        lifi.relayer.work()
        assert len([one for one in lifi.relayer.deliveries if one.source_hash == tx_hash]) == 1
    else:
        told_of = (told["receiving"]["amount"], told["transactionId"])
        assert told_of == (quote["estimate"]["toAmount"], quote["transactionId"])


def paid(shopper: Shopper, lifi: Lifi, conduct: Conduct) -> str:
    """Send 25 dollars to Base, with a relayer that behaves like this."""
    lifi.relayer.conduct = conduct
    tx_hash = shopper.pay(shopper.quote_to(asset("arbitrum", "USDC"), asset("base", "USDC"), 25_000_000))
    lifi.relayer.work()
    return tx_hash


@pytest.mark.parametrize(
    ("conduct", "units"),
    [(Conduct.HOLD, 0), (Conduct.LESS, 22_500_000), (Conduct.ELSEWHERE, 0), (Conduct.INVENTED, 12_500_000),
     (Conduct.REFUND, 0)],
    ids=str,
)  # fmt: skip
def test_a_relayer_may_do_otherwise(shopper: Shopper, lifi: Lifi, conduct: Conduct, units: int) -> None:
    """A refund goes back to the payer, where it came from."""
    told = shopper.status(paid(shopper, lifi, conduct))
    assert shopper.received(asset("base", "USDC")) == units
    assert told["status"] == ("PENDING" if conduct is Conduct.HOLD else "DONE")
    if conduct is Conduct.REFUND:
        place = (told["substatus"], told["receiving"]["chainId"])
        assert place == ("REFUNDED", asset("arbitrum", "USDC").chain_id)
        kept = int(told["sending"]["amount"]) - int(told["feeCosts"][0]["amount"])
        assert int(told["receiving"]["amount"]) == kept


def test_done_can_be_a_lie(shopper: Shopper, lifi: Lifi) -> None:
    tx_hash = paid(shopper, lifi, Conduct.HOLD)
    lifi.lie("/status", fields={"status": "DONE", "substatus": "COMPLETED"})
    assert (shopper.status(tx_hash)["status"], shopper.status(tx_hash)["status"]) == ("DONE", "PENDING")
    assert shopper.received(asset("base", "USDC")) == 0


def test_the_amount_solved_for_is_the_smallest(shopper: Shopper) -> None:
    taken, wanted = asset("ethereum", "ETH"), asset("ethereum", "USDC")
    for units in (1_000_000, 999_999_999, 123_456_789_012):
        amount = int(shopper.quote_to(taken, wanted, units)["estimate"]["fromAmount"])
        for given, enough in ((amount, True), (amount - 1, False)):
            again = shopper.ask("/quote", **shopper.order(taken, wanted, fromAmount=given)).json()
            assert (units, int(again["estimate"]["toAmountMin"]) >= units) == (units, enough)


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
    assert (shopper.received(wanted), shopper.status(tx_hash)["status"]) == (0, "FAILED")


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
