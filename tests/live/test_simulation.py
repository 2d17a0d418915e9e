"""Trying calls before anybody signs them, on a real node, and on nodes that cannot or that lie."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from chains.calldata.erc20 import approve_call
from chains.clients.evm_simulation import TriedCall, Watched
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from chains.registry import EVM_NATIVE_ADDRESS
from localnet.nodes import ONE_COIN, ROUTER, DevChain, fresh_wallet
from tests.live.evm_till import BASE_USDC
from tests.live.proxy import Proxy, proxied

SHOP = fresh_wallet().address
IN_USDC, IN_COINS = Watched(token=BASE_USDC, recipient=SHOP), Watched(token=EVM_NATIVE_ADDRESS, recipient=SHOP)


@pytest.fixture
def proxy(base_node: DevChain, nodes: Callable[..., None], db: None) -> Iterator[Proxy]:
    with proxied(base_node.url) as endpoint:
        nodes("base", endpoint.url)
        yield endpoint


@pytest.fixture
def payer(base_node: DevChain) -> LocalAccount:
    """Somebody with one coin and 100 USDC."""
    wallet = fresh_wallet()
    base_node.fund(wallet.address)
    base_node.mint(BASE_USDC, wallet.address, 100_000_000)
    return wallet


def approval(payer: LocalAccount, units: int) -> TriedCall:
    return TriedCall(sender=payer.address, to=BASE_USDC, value=0, data=approve_call(ROUTER, units))


def payment(node: DevChain, payer: LocalAccount, units: int) -> TriedCall:
    """The router takes so much from the payer and gives it to the shop; it needs an approval."""
    data = node.token(BASE_USDC).encode_abi("transferFrom", args=[payer.address, SHOP, units])
    return TriedCall(sender=ROUTER, to=BASE_USDC, value=0, data=data)


def test_an_allowance_is_read(base_node: DevChain, proxy: Proxy, payer: LocalAccount) -> None:
    assert EVM.allowance("base", BASE_USDC, payer.address, ROUTER) == 0
    base_node.approve(payer, BASE_USDC, ROUTER, 7)
    assert EVM.allowance("base", BASE_USDC, payer.address, ROUTER) == 7


def test_an_approval_and_what_needs_it_are_tried_together(
    base_node: DevChain, proxy: Proxy, payer: LocalAccount
) -> None:
    pays = payment(base_node, payer, 25)
    tried = EVM.simulate("base", [approval(payer, 25), pays], IN_USDC)
    assert (tried.succeeds, tried.was_tried, tried.arrived) == (True, True, 25)
    for calls in ([pays], [approval(payer, 24), pays], [approval(payer, 10**9), payment(base_node, payer, 10**9)]):
        tried = EVM.simulate("base", calls, IN_USDC)
        assert (tried.succeeds, tried.was_tried, tried.arrived) == (False, True, None)
    calls = [approval(payer, 25), payment(base_node, payer, 25)]
    for watched in (IN_COINS, Watched(token=BASE_USDC, recipient=payer.address), Watched(token=ROUTER, recipient=SHOP)):
        assert EVM.simulate("base", calls, watched).arrived == 0


def test_native_coin_arrives_too(proxy: Proxy, payer: LocalAccount) -> None:
    coin = TriedCall(sender=payer.address, to=SHOP, value=ONE_COIN // 2, data="0x")
    assert EVM.simulate("base", [coin], IN_COINS).arrived == ONE_COIN // 2
    assert EVM.simulate("base", [coin, coin, coin], IN_COINS).succeeds is False
    dear = replace(coin, value=2 * ONE_COIN)
    for lacking in ([], ["eth_simulateV1"]):
        proxy.lacks = frozenset(lacking)
        tried = EVM.simulate("base", [dear], IN_COINS)
        assert (tried.succeeds, tried.was_tried, tried.arrived) == (False, True, None)


def test_a_node_without_bundles_tries_the_first_call_alone(
    base_node: DevChain, proxy: Proxy, payer: LocalAccount
) -> None:
    proxy.lacks = frozenset({"eth_simulateV1"})
    pays = payment(base_node, payer, 25)
    tried = EVM.simulate("base", [approval(payer, 25), pays], IN_USDC)
    assert (tried.succeeds, tried.was_tried, tried.arrived) == (True, False, None)
    assert EVM.simulate("base", [pays], IN_USDC).succeeds is False
    base_node.approve(payer, BASE_USDC, ROUTER, 25)
    tried = EVM.simulate("base", [pays], IN_USDC)
    assert (tried.succeeds, tried.was_tried, tried.arrived) == (True, True, None)


GARBAGE: list[Any] = [
    *(None, [], {}, "0x", [[]], [{}], [{"calls": []}], [{"calls": None}], [{"calls": [{}]}], [{"calls": ["0x1"]}]),
    [{"calls": [{"status": "yes"}]}],
    [{"calls": [{"status": "0x1", "logs": {"a": 1}}]}],
    [{"calls": [{"status": "0x1", "logs": [{"topics": [1], "data": "0x", "address": "0x"}]}]}],
]


def test_garbage_is_no_answer(proxy: Proxy, payer: LocalAccount, impatient: None) -> None:
    for answer in GARBAGE:
        proxy.says = {"eth_simulateV1": answer}
        with pytest.raises(ChainUnavailable):
            EVM.simulate("base", [approval(payer, 1)], IN_USDC)
        assert proxy.heard.pop() == "eth_simulateV1", answer


def test_a_node_that_refuses_everything_is_no_answer(proxy: Proxy, payer: LocalAccount) -> None:
    """Nor is a contract that does not say its allowance."""
    with pytest.raises(ChainUnavailable):
        EVM.allowance("base", SHOP, payer.address, ROUTER)
    proxy.lacks = frozenset({"eth_simulateV1", "eth_call"})
    with pytest.raises(ChainUnavailable):
        EVM.simulate("base", [approval(payer, 1)], IN_USDC)
