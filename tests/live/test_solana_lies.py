"""Nodes of Solana that lie, lag or are of another network: answers come later, or from another one, never wrong."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from chains.clients.registry import SOLANA
from chains.clients.solana_endpoint import MAINNET_GENESIS
from localnet.solana.server import DevSolana, serving
from tests.live.conftest import forget_nodes
from tests.live.proxy import Lie, Proxy, lying, proxied
from tests.live.solana_till import SolanaTill
from tests.live.till import LiveTill


@pytest.fixture
def any_till(solana_till: SolanaTill) -> LiveTill:
    return solana_till


def _in_transaction(change: Callable[[dict[str, Any]], object]) -> Lie:
    return lying("getTransaction", lambda found: (change(found), found)[1])


def _in_balances(change: Callable[[dict[str, Any]], object]) -> Lie:
    return _in_transaction(lambda found: [change(entry) for entry in found["meta"]["postTokenBalances"]])


def _other_amount(transaction: dict[str, Any]) -> None:
    """Another amount under the payer's signature."""
    raw = bytearray(base64.b64decode(transaction["transaction"][0]))
    raw[-6] ^= 1
    transaction["transaction"][0] = base64.b64encode(bytes(raw)).decode()


LIES: dict[str, Lie] = {
    "bytes changed": _in_transaction(_other_amount),
    "an account too few": _in_transaction(lambda found: found["meta"]["preBalances"].pop()),
    "an account too many": _in_transaction(lambda found: found["meta"]["loadedAddresses"]["writable"].append("1" * 32)),
    "no effects": _in_transaction(lambda found: found.update(meta=None)),
    "a slot that is text": _in_transaction(lambda found: found.update(slot=str(found["slot"]))),
    "no block time": _in_transaction(lambda found: found.update(blockTime=None)),
    "an amount with a fraction": _in_balances(lambda entry: entry["uiTokenAmount"].update(amount="25.0")),
    "too many statuses": lying("getSignatureStatuses", lambda told: {**told, "value": told["value"] * 2}),
    "statuses of long ago": lying("getSignatureStatuses", lambda told: {**told, "context": {"slot": 1}}),
    "no block": lying("getBlock", lambda _: None),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_delays_or_another_node_is_asked(
    solana_till: SolanaTill, proxy: Proxy, nodes: Callable[..., None], lie: Lie
) -> None:
    till = solana_till
    nodes("solana", proxy.url)
    till.issue_and_pay()
    proxy.bend = lie
    till.pass_time()
    assert (till.sweep()["status"], till.credited(), till.leg().error) == ("awaiting_signature", [], "")
    nodes("solana", proxy.url, till.url())
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])


def test_no_more_counts_than_the_payer_signed_for_and_only_at_the_merchants_account(
    solana_till: SolanaTill, proxy: Proxy, nodes: Callable[..., None]
) -> None:
    till = solana_till
    nodes("solana", proxy.url)
    proxy.bend = _in_balances(lambda entry: entry.update(owner="1" * 32))
    till.pay(till.issue("25"))
    till.finish()
    assert till.credited() == []

    def grown(entry: dict[str, Any]) -> None:
        entry["uiTokenAmount"]["amount"] += "000"

    proxy.bend = _in_balances(grown)
    till.pay(till.issue("25"))
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize("slots", [0, 200])
def test_what_cannot_be_read_yet_is_neither_taken_back_nor_called_lost(
    solana_till: SolanaTill, proxy: Proxy, nodes: Callable[..., None], slots: int
) -> None:
    """Its status stands; only its content is not there yet, as behind a load balancer."""
    till = solana_till
    nodes("solana", proxy.url)
    till.issue_and_pay()
    if slots:
        till.node.advance(slots)
    else:
        till.sweep()
    seen = till.credited()
    proxy.says["getTransaction"] = None
    status = till.sweep()["status"]
    assert (status, till.leg().tx_hash != "") == ("awaiting_signature" if slots else "executing", True)
    assert (seen, till.credited()) == (([], []) if slots else ([25_000_000], [25_000_000]))
    proxy.says.clear()
    assert (till.finish()["status"], till.credited()) == ("settled", [25_000_000])


@pytest.mark.parametrize(
    ("second", "amount", "expected"),
    [
        ("agrees", "25", "requires_payment"),
        ("agrees", "1500", "requires_payment"),
        ("has seen it", "25", "executing"),
        ("is silent", "25", "requires_payment"),
        ("is silent", "1500", "executing"),
    ],
)
def test_that_a_payment_is_lost_takes_two_nodes(  # noqa: PLR0913, PLR0917 - each is a fact of its own
    solana_till: SolanaTill, proxy: Proxy, nodes: Callable[..., None], second: str, amount: str, expected: str
) -> None:
    """Where there are two, and much at stake or a contradiction: what one of them still knows may yet land."""
    till = solana_till
    till.endow(2_000_000_000)
    attempt = till.issue(amount)
    signature = till.pay(attempt)
    till.report(attempt, signature)
    assert till.sweep()["status"] == "executing"
    till.node.roll_back(signature)
    till.node.advance(200)
    nodes("solana", till.url(), proxy.url)
    proxy.fault = "500" if second == "is silent" else ""
    known = {"slot": till.node.head(), "confirmations": 0, "err": None, "confirmationStatus": "processed"}
    if second == "has seen it":
        proxy.bend = lying("getSignatureStatuses", lambda told: {**told, "value": [known] * len(told["value"])})
    assert (till.sweep()["status"], till.credited()) == (expected, [])
    proxy.fault, proxy.bend = "", None
    assert till.sweep()["status"] == "requires_payment"


def test_a_node_that_lags_is_passed_over_and_takes_nothing_back(
    solana_till: SolanaTill, nodes: Callable[..., None], impatient: None
) -> None:
    till = solana_till
    behind = DevSolana(ledger=till.node.ledger, lag=100, lock=till.node.lock)
    with serving(behind):
        nodes("solana", behind.url)
        assert SOLANA.head("solana") == till.node.head() - 101
        nodes("solana", behind.url, till.url())
        assert SOLANA.head("solana") == till.node.head() - 1
        till.issue_and_pay()
        till.sweep()
        assert till.credited() == [25_000_000]
        nodes("solana", behind.url)
        assert (till.sweep()["status"], till.credited()) == ("executing", [25_000_000])
        nodes("solana", behind.url, till.url())
        assert till.finish()["status"] == "settled"


@pytest.mark.django_db
def test_real_money_is_on_the_real_network(
    solana_node: DevSolana, nodes: Callable[..., None], settings: Settings
) -> None:
    with proxied(solana_node.url) as proxy:
        proxy.says["getGenesisHash"] = MAINNET_GENESIS
        nodes("solana", proxy.url)
        settings.NETWORK_PROFILE = "mainnet"
        assert SOLANA.head("solana") == solana_node.head() - 1
    forget_nodes()
