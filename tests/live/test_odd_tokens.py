"""Tokens that keep a part, and payments on the wrong chain: what arrived is what counts, where it was to arrive."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import ApiClient
from tests.live.conftest import BASE_USDC, Till
from tests.live.node import fresh_wallet, running

ARBITRUM_USDC = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"


@pytest.fixture
def greedy_till(live_api: ApiClient, nodes: Callable[..., None], prices: None) -> Iterator[Till]:
    """A payer on a Base whose dollar keeps one per cent of each transfer."""
    with running(8453) as node:
        node.place("FeeToken", BASE_USDC)
        nodes("base", node.url)
        made = Till(api=live_api, node=node)
        node.fund(made.payer.address)
        node.mint(BASE_USDC, made.payer.address, 1_000_000_000)
        yield made


def test_a_token_that_keeps_a_part_is_credited_by_what_arrived(greedy_till: Till) -> None:
    attempt = greedy_till.issue("25")
    tx_hash = greedy_till.node.send(greedy_till.payer, attempt["transactions"][0]["request"])
    greedy_till.report(attempt, tx_hash)
    intent = greedy_till.finish()
    assert intent["status"] == "partially_filled"
    assert greedy_till.credited() == [greedy_till.held()]
    assert 0 < greedy_till.held() < 25_000_000
    assert greedy_till.told() == ["created", "quoted", "executing", "partially_filled"]


def test_the_right_payment_on_the_wrong_chain_is_nowhere(till: Till) -> None:
    """The same call, signed for another chain: its hash names nothing where the money is awaited."""
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    with running(42161) as elsewhere:
        elsewhere.place("TestToken", BASE_USDC)
        elsewhere.fund(till.payer.address)
        elsewhere.mint(BASE_USDC, till.payer.address, 25_000_000)
        tx_hash = elsewhere.send(till.payer, request)
        till.report(attempt, tx_hash)
        assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.held()) == ([], 0)
    till.node.send(till.payer, request)
    assert till.finish()["status"] == "settled"
    assert till.credited() == [25_000_000]


def test_a_spoofed_transfer_of_nothing_is_nothing(till: Till) -> None:
    """Address poisoning: anybody can log a transfer of zero from anybody to anybody."""
    attempt = till.issue("25")
    poisoner = fresh_wallet()
    till.node.fund(poisoner.address)
    calldata = till.node.token(BASE_USDC).encode_abi("transfer", args=[till.merchant, 0])
    tx_hash = till.node.send(poisoner, {"to": BASE_USDC, "value": "0x0", "data": calldata})
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error) == ([], "tx_not_for_this_intent")
