"""Endpoints that fail or lie make answers later, never wrong."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from chains.clients.endpoints import FAULTS_TO_OPEN
from chains.clients.pool import Pool
from chains.clients.registry import EVM, client_for
from chains.errors import ChainUnavailable
from localnet.nodes import DevChain, running
from localnet.solana.server import running as solana_running
from tests.live.conftest import forget_nodes
from tests.live.evm_till import Till
from tests.live.proxy import BEHIND_BLOCKS, FAULTS, Proxy, proxied
from tests.live.till import LiveTill
from tests.machine import PATIENCE_SECONDS

AS_IN_EARNEST = 4
"""Seconds. Why not fewer: an honest node must never be called silent because the machine is busy."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_endpoint_delays_and_another_takes_over(
    any_till: LiveTill, proxy: Proxy, nodes: Callable[..., None], fault: str
) -> None:
    """Alone it makes nothing wrong: what was reported is not called unknown, and what was seen is not taken back."""
    till = any_till
    if isinstance(till, Till) and till.node.head() < 2 * BEHIND_BLOCKS:
        till.node.mine(2 * BEHIND_BLOCKS)
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
    """With the wallet, with the quote, with what to sign: each is there once the node answers again."""
    till = any_till
    nodes(till.chain, proxy.url)
    client_for("live").head(till.chain)  # on a network of one's own the first answer is believed
    page = till.open("25")

    def asked(act: str, body: dict[str, str]) -> tuple[Any, Any]:
        """What the page shows while the node fails, and once it does not."""
        shown = []
        proxy.fault = fault
        forget_nodes()
        page.act(act, body)
        for proxy.fault in (fault, ""):
            till.sweep()
            shown.append(page.state())
        return shown[0], shown[1]

    failing, healed = asked("wallet", dict(zip(("family", "address"), till.wallet, strict=True)))
    told = (failing["status"], failing["wallet"]["status"], failing["last_error"])
    assert told == ("requires_payment", "looking", None)
    assert (healed["wallet"]["status"], len(healed["wallet"]["tokens"])) == ("ready", 2)
    failing, healed = asked("quote", {"chain": till.chain, "token_address": till.token})
    assert (failing["attempt"]["status"], healed["attempt"]["status"]) == ("quoting", "quoted")
    failing, healed = asked("start", {"attempt_id": healed["attempt"]["id"]})
    assert (failing["attempt"]["status"], failing["attempt"]["transactions"]) == ("preparing", [])
    assert healed["attempt"]["status"] == "awaiting_signature"


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
        monkeypatch.setattr("chains.clients.channel.READ_TIMEOUT", AS_IN_EARNEST)
        assert client_for("live").head(chain) >= 0
        assert proxy.asked > 0
        nodes(chain, proxy.url)
        monkeypatch.setattr("chains.clients.channel.READ_TIMEOUT", 0.01)
        with pytest.raises(ChainUnavailable):
            client_for("live").head(chain)


@pytest.mark.django_db
def test_an_endpoint_that_keeps_failing_is_left_alone(
    base_node: DevChain, nodes: Callable[..., None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> None:
        with pytest.raises(ChainUnavailable) as refusal:
            EVM.head("base")
        assert refusal.value.details == {"chain": "base", "retryable": True}

    for name in ("SHORTEST_PAUSE_SECONDS", "LONGEST_PAUSE_SECONDS"):
        monkeypatch.setattr(f"chains.clients.endpoints.{name}", PATIENCE_SECONDS)
    with proxied(base_node.url) as proxy:
        nodes("base", proxy.url)
        proxy.fault = "500"
        for _ in range(2):
            fails()
            assert proxy.asked == FAULTS_TO_OPEN
        assert "HTTP 500" in caplog.text
        assert "secret-key" not in caplog.text
        monkeypatch.setattr("chains.clients.endpoints.LONGEST_PAUSE_SECONDS", 0)
        forget_nodes()
        fails()
        proxy.fault = ""
        assert EVM.head("base") >= 0


@pytest.mark.spec("Rulings A3.2")
def test_a_network_that_began_otherwise_is_another_one(
    any_client: tuple[str, str], nodes: Callable[..., None], settings: Settings
) -> None:
    """And a developer's network is no mainnet."""
    chain, url = any_client
    nodes(chain, url)
    settings.NETWORK_PROFILE = "mainnet"
    with pytest.raises(ChainUnavailable):
        client_for("live").head(chain)
    nodes(chain, url)
    head = client_for("live").head(chain)
    started: Any = running(8453, "--timestamp", "1700000000")
    if chain == "solana":
        started = solana_running(ticking=False, seed=b"another network")
    with started as other:
        nodes(chain, other.url)
        with pytest.raises(ChainUnavailable):
            client_for("live").head(chain)
        nodes(chain, other.url, url)
        assert client_for("live").head(chain) == head


@pytest.mark.spec("Rulings D6.2")
def test_no_transaction_is_open_while_a_node_is_asked(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, open_ones = Pool.ask_one, []

    def watched(pool: Pool[Any], *arguments: Any, **named: Any) -> Any:
        open_ones.append(list(connection.savepoint_ids))
        return honest(pool, *arguments, **named)

    monkeypatch.setattr(Pool, "ask_one", watched)
    till.issue_and_pay()
    assert till.finish()["status"] == "settled"
    assert len(open_ones) > 5
    assert [one for one in open_ones if one] == []
