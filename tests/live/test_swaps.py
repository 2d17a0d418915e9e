"""Paying with another token, from the door through LI.FI's calls on a real node to the merchant.

No address of the service is in any payment's path: everybody who touches the money is known, and none is ours.
"""

from typing import Any

import pytest

from chains.clients.evm_reading import TRANSFER_TOPIC
from localnet.addresses import DEX, DIAMOND, FEE_FORWARDER, SPOKE_POOLS
from localnet.devchain import DevChain
from localnet.lifi import GONE
from localnet.lifi.calldata import INTEGRATOR_WALLET, LIFI_WALLET
from localnet.nodes import fresh_wallet
from tests.live.buyer import Buyer, asset

ROUTER = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"
STRANGER = fresh_wallet().address


def test_a_token_is_swapped_for_the_merchants(swapper: Buyer) -> None:
    attempt = swapper.issue("25")
    [unsigned] = attempt["transactions"]
    assert (unsigned["family"], unsigned["chain"], unsigned["chain_id"]) == ("evm", "base", 8453)
    assert (unsigned["request"]["to"], unsigned["request"]["value"]) == (ROUTER, "0x0")
    [approval] = swapper.approvals()
    assert (approval["to"], approval["value"]) == (swapper.paid.address, "0x0")
    tx_hash = swapper.pay(attempt)
    swapper.report(attempt, tx_hash)
    assert swapper.arrive()["status"] == "settled"
    leg = swapper.leg()
    assert (leg.kind, leg.provider, leg.tool, leg.status) == ("swap", "lifi", "localdex", "confirmed")
    assert swapper.spent(100_000_000) == leg.input_base_units
    assert int(approval["data"][-64:], 16) == leg.input_base_units
    assert swapper.held() >= 25_000_000
    assert (swapper.credited(), leg.tx_hash) == ([swapper.held()], tx_hash)
    assert swapper.source.token(swapper.paid.address).functions.allowance(swapper.payer.address, ROUTER).call() == 0


def test_an_allowance_that_suffices_is_used(swapper: Buyer) -> None:
    swapper.source.approve(swapper.payer, swapper.paid.address, ROUTER, 50_000_000)
    attempt = swapper.issue("25")
    assert swapper.approvals() == []
    swapper.report(attempt, swapper.pay(attempt))
    assert swapper.arrive()["status"] == "settled"


def test_an_allowance_of_a_token_that_resets_is_taken_back_first(swapper: Buyer) -> None:
    swapper.pays(asset("ethereum", "USDT"), asset("ethereum", "USDC"), 100_000_000)
    swapper.source.approve(swapper.payer, swapper.paid.address, ROUTER, 7)
    attempt = swapper.issue("25")
    amounts = [int(approval["data"][-64:], 16) for approval in swapper.approvals()]
    assert amounts == [0, swapper.leg().input_base_units]
    swapper.report(attempt, swapper.pay(attempt))
    assert swapper.arrive()["status"] == "settled"


LIES: list[tuple[str, dict[str, Any], str]] = [
    ("recipient in the call", {"call": {"receiver": STRANGER}}, "WRONG_RECIPIENT"),
    ("no transaction", {"fields": {"transactionRequest": GONE}}, "ANSWER_MALFORMED"),
    ("no quote", {"status": 404, "body": {"message": "No available quotes", "code": 1002}}, "NO_ROUTE"),
    ("hung up", {"hangs_up": True}, "PROVIDER_UNAVAILABLE"),
]
"""One of each kind. All that there are, without a node: tests/payments/lifi."""


@pytest.mark.parametrize(("lie", "code"), [pytest.param(lie[1], lie[2], id=lie[0]) for lie in LIES])
def test_a_lie_at_the_quote_leaves_no_route(swapper: Buyer, lie: dict[str, Any], code: str) -> None:
    swapper.shop.lie("/quote/toAmount", times=-1, **lie)
    assert (swapper.quoted("25")["status"], swapper.weighed()) == ("failed", [("lifi", False, code)])


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param({"call": {"receiver": STRANGER}}, id="recipient"),
        pytest.param({"fields": {"estimate.toAmountMin": "1"}}, id="minimum"),
        pytest.param({"call": {"swapData.1.callData": b"\x00\x00\x00\x00"}}, id="a call that fails"),
        pytest.param({"status": 404, "body": {"message": "No available quotes", "code": 1002}}, id="gone"),
    ],
)
def test_a_lie_when_the_payer_pays_has_him_asked_again(swapper: Buyer, lie: dict[str, object]) -> None:
    """Nothing is handed out; the next quote is honest, and can be paid."""
    attempt = swapper.quoted("25")
    swapper.shop.lie("/quote/toAmount", **lie)
    withdrawn = swapper.accept(attempt)
    assert withdrawn["status"] != "awaiting_signature"
    swapper.sweep(2)
    again = swapper.page.state()["attempt"]
    assert (again["status"], again["transactions"]) == ("quoted", [])
    paid = swapper.accept(again)
    assert paid["status"] == "awaiting_signature"
    swapper.report(paid, swapper.pay(paid))
    assert swapper.arrive()["status"] == "settled"


WAYS = [("base", "ETH", "base", "USDC"), ("arbitrum", "USDC", "base", "USDC"), ("arbitrum", "ETH", "base", "USDC")]


def _touched(node: DevChain, tx_hash: str) -> set[str]:
    """Everybody between whom a token moved, and every contract that was called."""
    receipt = node.web3.eth.get_transaction_receipt(tx_hash)  # type: ignore[arg-type]  # a hash
    logs = [log for log in receipt["logs"] if bytes(log["topics"][0]) == TRANSFER_TOPIC]
    moved = {f"0x{bytes(topic)[-20:].hex()}" for log in logs for topic in log["topics"][1:3]}
    called = node.rpc("debug_traceTransaction", tx_hash, {"tracer": "callTracer"})
    waiting, found = [called], set()
    while waiting:
        frame = waiting.pop()
        waiting += frame.get("calls", [])
        if int(frame.get("value") or "0x0", 16):
            found.add(frame["to"])
    return moved | found


@pytest.mark.spec("Rulings D9.1")
@pytest.mark.spec("What the service does 7")
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_only_those_who_are_known_touch_the_money(buyer: Buyer, way: tuple[str, ...]) -> None:
    start, taken, end, wanted = way
    buyer.pays(asset(start, taken), asset(end, wanted), 10**18 if taken == "ETH" else 100_000_000)
    attempt = buyer.issue("25")
    tx_hash = buyer.pay(attempt)
    buyer.report(attempt, tx_hash)
    assert buyer.arrive()["status"] == "settled"
    assert buyer.held() >= 25_000_000
    touched = _touched(buyer.source, tx_hash)
    if start != end:
        touched |= _touched(buyer.node, buyer.leg().destination_tx_hash)
    relayer = buyer.node.web3.eth.accounts[0]
    nobody = "0x" + "0" * 40
    wrapped = {asset(chain, "WETH").address for chain in (start, end)}
    theirs = {DIAMOND, DEX, FEE_FORWARDER, LIFI_WALLET, INTEGRATOR_WALLET, *SPOKE_POOLS.values(), relayer, *wrapped}
    known = {buyer.payer.address, buyer.merchant, *theirs}
    assert {address.lower() for address in touched} <= {address.lower() for address in known} | {nobody}
