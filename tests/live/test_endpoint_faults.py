"""Endpoints that fail or lie make answers later, never wrong."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from chains.clients.endpoints import FAULTS_TO_OPEN
from chains.clients.pool import Pool
from chains.clients.registry import EVM, client_for
from chains.errors import ChainUnavailable
from localnet.nodes import DevChain, running
from tests.live.conftest import Till, forget_nodes
from tests.live.proxy import BEHIND_BLOCKS, FAULTS, Proxy, proxied
from tests.live.till import LiveTill
from tests.machine import PATIENCE_SECONDS

AS_IN_EARNEST = 4
"""Seconds. Why not fewer: an honest node must never be called silent because the machine is busy."""


@pytest.fixture
def base_proxy(base_node: DevChain, impatient: None) -> Iterator[Proxy]:
    """A proxy before Base's node."""
    with proxied(base_node.url) as made:
        yield made


def enough_blocks(till: LiveTill) -> None:
    """So many blocks that one may be far behind."""
    if isinstance(till, Till) and till.node.head() < 2 * BEHIND_BLOCKS:
        till.node.mine(2 * BEHIND_BLOCKS)


def meet(chain: str) -> None:
    """Let the database remember how the chain began. Why: on a network of one's own the first answer is believed."""
    client_for("live").head(chain)
    forget_nodes()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_endpoint_delays_and_another_takes_over(
    any_till: LiveTill, proxy: Proxy, nodes: Callable[..., None], fault: str
) -> None:
    """Alone it makes nothing wrong: what was reported is not called unknown, and what was seen is not taken back."""
    till = any_till
    enough_blocks(till)
    nodes(till.chain, proxy.url)
    attempt = till.issue("25")
    tx_hash = till.pay(attempt)
    till.report(attempt, tx_hash)
    proxy.fault = fault
    forget_nodes()
    assert till.sweep()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().tx_hash, till.leg().error) == ([], tx_hash, "")
    proxy.heal()
    assert (till.sweep(2)["status"], till.credited()) == ("executing", [25_000_000])
    proxy.fault = fault
    forget_nodes()
    till.pass_time()
    assert (till.sweep()["status"], till.credited()) == ("executing", [25_000_000])
    nodes(till.chain, proxy.url, till.url())
    asked = proxy.asked
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])
    assert proxy.asked > asked


@pytest.mark.parametrize("fault", ["500", "wrong chain"])
def test_the_payer_waits_and_goes_on(any_till: LiveTill, proxy: Proxy, nodes: Callable[..., None], fault: str) -> None:
    till = any_till
    nodes(till.chain, proxy.url)
    meet(till.chain)
    page = till.open("25")
    proxy.fault = fault
    page.act("wallet", dict(zip(("family", "address"), till.wallet, strict=True)))
    till.sweep()
    state = page.state()
    assert (state["status"], state["wallet"]["status"], state["last_error"]) == ("requires_payment", "looking", None)
    proxy.fault = ""
    till.sweep()
    wallet = page.state()["wallet"]
    assert (wallet["status"], len(wallet["tokens"])) == ("ready", 2)
    proxy.fault = fault
    forget_nodes()
    page.act("quote", {"chain": till.chain, "token_address": till.token})
    till.sweep()
    assert page.state()["attempt"]["status"] == "quoting"
    proxy.fault = ""
    till.sweep()
    attempt = page.state()["attempt"]
    assert attempt["status"] == "quoted"
    proxy.fault = fault
    forget_nodes()
    page.act("start", {"attempt_id": attempt["id"]})
    till.sweep()
    assert (page.state()["attempt"]["status"], page.state()["attempt"]["transactions"]) == ("preparing", [])
    proxy.fault = ""
    till.sweep()
    assert page.state()["attempt"]["status"] == "awaiting_signature"


@pytest.fixture(params=["base", "solana"])
def any_client(request: pytest.FixtureRequest, impatient: None, db: None) -> tuple[str, str]:
    """A chain of either family, and where its honest node listens."""
    node = request.getfixturevalue({"base": "base_node", "solana": "solana_node"}[request.param])
    return request.param, node.url


def test_a_node_that_does_not_answer_is_one_that_fails(
    any_client: tuple[str, str], nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, url = any_client
    with proxied(url) as proxy:
        proxy.fault = "silence"
        nodes(chain, proxy.url, url)
        monkeypatch.setattr("chains.clients.endpoints.READ_TIMEOUT", AS_IN_EARNEST)
        assert client_for("live").head(chain) >= 0
        assert proxy.asked > 0
        nodes(chain, proxy.url)
        monkeypatch.setattr("chains.clients.endpoints.READ_TIMEOUT", 0.01)
        with pytest.raises(ChainUnavailable):
            client_for("live").head(chain)


@pytest.mark.django_db
def test_an_endpoint_that_keeps_failing_is_left_alone(
    base_proxy: Proxy, nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> None:
        with pytest.raises(ChainUnavailable) as refusal:
            EVM.head("base")
        assert refusal.value.details == {"chain": "base", "retryable": True}

    monkeypatch.setattr("chains.clients.endpoints.SHORTEST_PAUSE_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr("chains.clients.endpoints.LONGEST_PAUSE_SECONDS", PATIENCE_SECONDS)
    nodes("base", base_proxy.url)
    base_proxy.fault = "500"
    for _ in range(2):
        fails()
        assert base_proxy.asked == FAULTS_TO_OPEN
    assert "HTTP 500" in caplog.text
    assert "secret-key" not in caplog.text
    monkeypatch.setattr("chains.clients.endpoints.LONGEST_PAUSE_SECONDS", 0)
    forget_nodes()
    fails()
    base_proxy.fault = ""
    assert EVM.head("base") >= 0


@pytest.mark.spec("Rulings A3.2")
@pytest.mark.django_db
def test_a_network_that_began_otherwise_is_another_one(
    base_proxy: Proxy, base_node: DevChain, nodes: Callable[..., None]
) -> None:
    nodes("base", base_proxy.url)
    assert EVM.head("base") == base_node.head()
    with running(8453, "--timestamp", "1700000000") as copy:
        nodes("base", copy.url)
        with pytest.raises(ChainUnavailable):
            EVM.head("base")
        nodes("base", copy.url, base_proxy.url)
        assert EVM.head("base") == base_node.head()


def test_a_developers_network_is_no_mainnet(
    base_node: DevChain, nodes: Callable[..., None], settings: Settings
) -> None:
    nodes("base", base_node.url)
    settings.NETWORK_PROFILE = "mainnet"
    with pytest.raises(ChainUnavailable):
        EVM.head("base")


@pytest.mark.spec("Rulings D6.2")
def test_no_transaction_is_open_while_a_node_is_asked(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, open_ones = Pool.ask_one, []

    def watched(pool: Pool[Any], *arguments: Any) -> Any:
        open_ones.append(list(connection.savepoint_ids))
        return honest(pool, *arguments)

    monkeypatch.setattr(Pool, "ask_one", watched)
    till.issue_and_pay()
    assert till.finish()["status"] == "settled"
    assert len(open_ones) > 5
    assert [one for one in open_ones if one] == []
