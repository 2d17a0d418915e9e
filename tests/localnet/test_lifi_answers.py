"""What the local LI.FI answers to bad questions, and what it says when it is told to lie."""

from typing import Any

import pytest
import requests

from localnet.lifi import GONE, Lifi
from localnet.lifi.calldata import contract
from tests.localnet.conftest import Shopper, asset

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


@pytest.mark.parametrize(
    ("change", "status", "code"),
    REFUSALS,
    ids=["-".join(row[0].items().__iter__().__next__()) or "none" for row in REFUSALS],
)
def test_a_bad_question_is_refused_as_there(shopper: Shopper, change: dict[str, Any], status: int, code: int) -> None:
    taken, wanted = asset("arbitrum", "USDC"), asset("base", "USDC")
    shopper.enrich(taken)
    answer = shopper.ask("/quote/toAmount", **shopper.order(taken, wanted, toAmount=25_000_000) | change)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["message"]


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


@pytest.mark.parametrize(
    ("wanted", "path", "value"),
    [
        ("base", "receiver", NOWHERE),
        ("base", "minAmountOut", 1),
        ("base", "swapData.1.callTo", NOWHERE),
        ("ethereum", "bridgeData.receiver", NOWHERE),
        ("ethereum", "acrossData.outputAmount", lambda units: units // 2),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_lie_reaches_into_the_call(shopper: Shopper, lifi: Lifi, wanted: str, path: str, value: Any) -> None:
    lifi.lie(call={path: value})
    quote = shopper.quote_to(asset("base", "WETH"), asset(wanted, "USDC"), 25_000_000)
    _, arguments = contract("Diamond").decode_function_input(quote["transactionRequest"]["data"])
    found: Any = arguments
    for step in path.split("."):
        found = found[int(step) if step.isdigit() else step]
    honest = int(quote["estimate"]["toAmountMin"])
    assert found == (value(honest) if callable(value) else value)


def test_failures_come_on_command(shopper: Shopper, lifi: Lifi) -> None:
    lifi.lie(status=429, body={"message": "Too many requests", "code": 1005}, headers={"ratelimit-remaining": "0"})
    limited = shopper.ask("/chains")
    assert (limited.status_code, limited.headers["ratelimit-remaining"]) == (429, "0")
    lifi.lie(body=b"<html>gateway", times=2)
    assert [shopper.ask("/chains").text for _ in range(2)] == ["<html>gateway"] * 2
    lifi.lie(hangs_up=True)
    with pytest.raises(requests.ConnectionError):
        shopper.ask("/chains")
    assert shopper.ask("/chains").status_code == 200
    assert [asked.path for asked in lifi.asked] == ["/chains"] * 5
