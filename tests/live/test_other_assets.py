"""Other decimals, other finality, and the native coin."""

from collections.abc import Callable, Iterator

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from tests.conftest import ApiClient
from tests.live.conftest import BNB_USDC, Till
from tests.live.node import ONE_COIN, DevChain, running


@pytest.fixture(scope="module")
def bnb_node() -> Iterator[DevChain]:
    """A node with BNB Chain's id, whose blocks are called final two blocks later."""
    with running(56, "--slots-in-an-epoch", "1") as node:
        node.place("TestToken", BNB_USDC)
        yield node


@pytest.fixture
def bnb_till(live_api: ApiClient, bnb_node: DevChain, nodes: Callable[..., None], prices: None) -> Till:
    """A payer on BNB Chain with 100 dollars in 18 decimals."""
    nodes("bnb", bnb_node.url)
    made = Till(api=live_api, node=bnb_node, chain="bnb", token=BNB_USDC)
    bnb_node.fund(made.payer.address)
    bnb_node.mint(BNB_USDC, made.payer.address, 100 * 10**18)
    return made


def test_eighteen_decimals_settle_when_the_chain_calls_them_final(bnb_till: Till) -> None:
    attempt = bnb_till.issue("25.01")
    bnb_till.report(attempt, bnb_till.node.send(bnb_till.payer, attempt["transactions"][0]["request"]))
    for _ in range(20):
        final = int(bnb_till.node.web3.eth.get_block("finalized")["number"])
        assert bnb_till.sweep()["status"] == "executing"
        included = bnb_till.leg().block_number
        assert included is not None
        if final + 1 == included:
            break
        bnb_till.node.mine()
    bnb_till.node.mine()
    assert bnb_till.sweep()["status"] == "settled"
    assert bnb_till.held() == 25_010_000_000_000_000_000
    assert bnb_till.credited() == [25_010_000_000_000_000_000]


@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_the_native_coin_settles(till: Till, is_reported: bool) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    assert (request["to"], request["value"]) == (till.merchant, hex(ONE_COIN // 100))
    tx_hash = till.node.send(till.payer, request)
    if is_reported:
        till.report(attempt, tx_hash)
    assert till.finish()["status"] == "settled"
    assert till.node.web3.eth.get_balance(till.merchant) == ONE_COIN // 100  # type: ignore[arg-type]  # checksummed
    assert (till.credited(), till.leg().tx_hash) == ([ONE_COIN // 100], tx_hash)


def test_a_coin_without_the_tag_is_not_this_payment(till: Till) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    till.report(attempt, till.node.send(till.payer, {**request, "data": "0x"}))
    assert till.finish()["status"] == "awaiting_signature"
    assert till.credited() == []


def test_a_coin_that_a_contract_sent_back_was_not_paid(till: Till) -> None:
    """Its transaction names the merchant, the value and the tag, and failed."""
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    till.node.rpc("anvil_setCode", till.merchant, "0x60006000fd")
    till.report(attempt, till.node.send(till.payer, attempt["transactions"][0]["request"]))
    assert till.finish()["status"] == "requires_payment"
    assert (till.credited(), till.leg().error) == ([], "reverted")
