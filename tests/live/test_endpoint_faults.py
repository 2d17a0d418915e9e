"""Endpoints that fail or lie make answers later, never wrong."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from chains.clients.pool import Pool
from chains.clients.registry import EVM
from chains.errors import ChainUnavailable
from tests.live.conftest import DEEP_ENOUGH, Till
from tests.live.node import DevChain, running
from tests.live.proxy import BEHIND_BLOCKS, FAULTS, Proxy, proxied


@pytest.fixture
def proxy(base_node: DevChain, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy before Base's node, and a service that waits less long than in earnest."""
    for name in ("SHORTEST_PAUSE_SECONDS", "WRONG_CHAIN_PAUSE_SECONDS"):
        monkeypatch.setattr(f"chains.clients.endpoints.{name}", 0)
    monkeypatch.setattr("chains.clients.endpoints.READ_TIMEOUT", 1)
    monkeypatch.setattr("chains.clients.pool.BACK_OFF_SECONDS", 0.01)
    with proxied(base_node.url) as made:
        yield made


def enough_blocks(node: DevChain) -> None:
    """So many blocks that one may be far behind."""
    if node.head() < 2 * BEHIND_BLOCKS:
        node.mine(2 * BEHIND_BLOCKS)


@pytest.mark.parametrize("fault", FAULTS)
def test_another_endpoint_takes_over(till: Till, proxy: Proxy, nodes: Callable[..., None], fault: str) -> None:
    enough_blocks(till.node)
    nodes("base", proxy.url, till.node.url)
    till.node.mine()
    proxy.fault = fault
    attempt = till.issue("25")
    tx_hash = till.node.send(till.payer, attempt["transactions"][0]["request"])
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "settled"
    assert (till.credited(), till.leg().tx_hash) == ([25_000_000], tx_hash)
    assert proxy.asked > 0


@pytest.mark.parametrize("fault", FAULTS)
def test_alone_it_only_delays(till: Till, proxy: Proxy, nodes: Callable[..., None], fault: str) -> None:
    enough_blocks(till.node)
    nodes("base", proxy.url)
    attempt = till.issue("25")
    tx_hash = till.node.send(till.payer, attempt["transactions"][0]["request"])
    till.report(attempt, tx_hash)
    proxy.fault = fault
    till.node.mine(DEEP_ENOUGH)
    EVM.forget()  # another worker, that has yet to ask which chain this is
    assert till.sweep()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().tx_hash, till.leg().error) == ([], tx_hash, "")
    proxy.heal()
    assert till.sweep(2)["status"] == "settled"
    assert till.credited() == [25_000_000]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_was_seen_is_not_taken_back(till: Till, proxy: Proxy, nodes: Callable[..., None], fault: str) -> None:
    enough_blocks(till.node)
    nodes("base", proxy.url)
    attempt = till.issue("25")
    till.report(attempt, till.node.send(till.payer, attempt["transactions"][0]["request"]))
    assert till.sweep()["status"] == "executing"
    assert till.credited() == [25_000_000]
    proxy.fault = fault
    EVM.forget()
    assert till.sweep()["status"] == "executing"
    assert till.credited() == [25_000_000]
    proxy.heal()
    assert till.finish()["status"] == "settled"


@pytest.mark.parametrize("fault", ["500", "garbage", "wrong chain"])
def test_the_payer_waits_and_goes_on(till: Till, proxy: Proxy, nodes: Callable[..., None], fault: str) -> None:
    nodes("base", proxy.url)
    page = till.open("25")
    proxy.fault = fault
    page.act("wallet", {"family": "evm", "address": page.address})
    till.sweep()
    state = page.state()
    assert (state["status"], state["wallet"]["status"], state["last_error"]) == ("requires_payment", "looking", None)
    proxy.fault = ""
    till.sweep()
    wallet = page.state()["wallet"]
    assert (wallet["status"], len(wallet["tokens"])) == ("ready", 2)
    proxy.fault = fault
    EVM.forget()
    page.act("quote", {"chain": "base", "token_address": till.token})
    till.sweep()
    assert page.state()["attempt"]["status"] == "quoting"
    proxy.fault = ""
    till.sweep()
    attempt = page.state()["attempt"]
    assert attempt["status"] == "quoted"
    proxy.fault = fault
    EVM.forget()
    page.act("start", {"attempt_id": attempt["id"]})
    till.sweep()
    assert (page.state()["attempt"]["status"], page.state()["attempt"]["transactions"]) == ("preparing", [])
    proxy.fault = ""
    till.sweep()
    assert page.state()["attempt"]["status"] == "awaiting_signature"


@pytest.mark.django_db
def test_an_endpoint_that_keeps_failing_is_left_alone(
    proxy: Proxy, nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("chains.clients.endpoints.SHORTEST_PAUSE_SECONDS", 1)
    nodes("base", proxy.url)
    proxy.fault = "500"
    with pytest.raises(ChainUnavailable) as refusal:
        EVM.head("base")
    assert refusal.value.details == {"chain": "base", "retryable": True}
    asked = proxy.asked
    assert asked == 3
    with pytest.raises(ChainUnavailable):
        EVM.head("base")
    assert proxy.asked == asked
    assert "HTTP 500" in caplog.text
    assert "secret-key" not in caplog.text
    proxy.fault = ""
    time.sleep(1.1)
    assert EVM.head("base") >= 0
    assert proxy.asked > asked


@pytest.mark.django_db
def test_a_network_that_began_otherwise_is_another_one(
    proxy: Proxy, base_node: DevChain, nodes: Callable[..., None]
) -> None:
    nodes("base", proxy.url)
    assert EVM.head("base") == base_node.head()
    with running(8453, "--timestamp", "1700000000") as copy:
        nodes("base", copy.url)
        with pytest.raises(ChainUnavailable):
            EVM.head("base")
        nodes("base", copy.url, proxy.url)
        assert EVM.head("base") == base_node.head()


def test_a_developers_network_is_no_mainnet(
    base_node: DevChain, nodes: Callable[..., None], settings: Settings
) -> None:
    nodes("base", base_node.url)
    settings.NETWORK_PROFILE = "mainnet"
    with pytest.raises(ChainUnavailable):
        EVM.head("base")


def test_no_transaction_is_open_while_a_node_is_asked(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, open_ones = Pool.ask, []

    def watched(pool: Pool[Any], *arguments: Any) -> Any:
        open_ones.append(list(connection.savepoint_ids))
        return honest(pool, *arguments)

    monkeypatch.setattr(Pool, "ask", watched)
    attempt = till.issue("25")
    till.report(attempt, till.node.send(till.payer, attempt["transactions"][0]["request"]))
    assert till.finish()["status"] == "settled"
    assert len(open_ones) > 5
    assert [one for one in open_ones if one] == []
