"""No address of the service is in any payment's path: everybody who touches the money is known, and none is ours."""

import pytest

from chains.clients.evm_reading import TRANSFER_TOPIC
from localnet.addresses import DEX, DIAMOND, FEE_FORWARDER, SPOKE_POOLS
from localnet.devchain import DevChain
from localnet.lifi import Lifi
from localnet.lifi.calldata import INTEGRATOR_WALLET, LIFI_WALLET
from tests.conftest import ApiClient
from tests.live.buyer import Buyer, asset

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
def test_only_those_who_are_known_touch_the_money(live_api: ApiClient, lifi: Lifi, way: tuple[str, ...]) -> None:
    start, taken, end, wanted = way
    buyer = Buyer(api=live_api, node=lifi.nodes[end], shop=lifi)
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
