"""Two nodes that contradict each other: money waits, whichever of them lies, and counts when they agree."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from localnet.nodes import DevChain
from payments.models import Credit
from tests.live.evm_till import DEEP_ENOUGH, Till
from tests.live.proxy import Lie, Proxy, lying, proxied

SMALL, LARGE = "25", "1000"
TO_BE_SAFE = 40
"""Blocks, on a node that calls a block safe after 32."""


@pytest.fixture
def liar(base_node: DevChain, impatient: None) -> Iterator[Proxy]:
    """A second way to Base's node, honest until it is told to lie or to fail."""
    with proxied(base_node.url) as made:
        yield made


def hides(method: str, result: Any) -> Any:
    """The payment was never there."""
    if method in {"eth_getTransactionByHash", "eth_getTransactionReceipt"}:
        return None
    return [] if method == "eth_getLogs" else result


def in_other_blocks(method: str, result: Any) -> Any:
    """Every block but the first has another hash, consistently."""
    if method == "eth_getBlockByNumber" and result is not None and int(result["number"], 16) > 0:
        return {**result, "hash": _other(result["hash"])}
    if method == "eth_getTransactionReceipt" and result is not None:
        logs = [{**log, "blockHash": _other(log["blockHash"])} for log in result["logs"]]
        return {**result, "blockHash": _other(result["blockHash"]), "logs": logs}
    return result


def _other(block_hash: str) -> str:
    return block_hash[:-1] + ("0" if block_hash[-1] != "0" else "1")


def _more(receipt: dict[str, Any]) -> dict[str, Any]:
    logs = [{**log, "data": f"0x{100 * int(log['data'], 16):064x}"} for log in receipt["logs"]]
    return {**receipt, "logs": logs}


LIES: dict[str, Lie] = {
    "hides": hides,
    "tells_more": lying("eth_getTransactionReceipt", _more),
    "reverted": lying("eth_getTransactionReceipt", lambda receipt: {**receipt, "logs": [], "status": "0x0"}),
    "in_other_blocks": in_other_blocks,
    "takes_back": lambda method, result: in_other_blocks(method, hides(method, result)),
}
"""A hundred times as much arrived; the payment failed; the chain was reorganised, and it is gone."""


def final_credits() -> int:
    return Credit.objects.filter(final_at__isnull=False).count()


@pytest.fixture(params=["first", "second"])
def order(request: pytest.FixtureRequest, till: Till, liar: Proxy, nodes: Callable[..., None]) -> str:
    """Both nodes are configured; the liar is asked first or second."""
    urls = [till.node.url, liar.url]
    nodes("base", *(urls if request.param == "second" else urls[::-1]))
    return str(request.param)


@pytest.mark.parametrize("lie", ["hides", "tells_more", "reverted", "in_other_blocks"])
def test_nothing_is_credited_while_two_nodes_disagree(
    till: Till, liar: Proxy, order: str, lie: str, caplog: pytest.LogCaptureFixture
) -> None:
    till.issue_and_pay()
    liar.bend = LIES[lie]
    till.node.mine(DEEP_ENOUGH)
    for _ in range(3):
        shown = till.sweep()
        assert (shown["status"], shown["amount_received"], final_credits()) == (shown["status"], "0.00", 0)
        assert shown["status"] in {"awaiting_signature", "executing"}
    assert till.credited() == []
    if (order, lie) != ("first", "hides"):
        told = [record for record in caplog.records if "nodes_disagree" in record.getMessage()]
        assert {record.levelno for record in told} == {logging.ERROR}
    liar.bend = None
    assert (till.sweep(2)["status"], till.credited(), till.held()) == ("settled", [25_000_000], 25_000_000)


def test_what_one_node_said_too_early_is_put_right(till: Till, liar: Proxy, nodes: Callable[..., None]) -> None:
    """It stood in a block, by the liar's word, with a hundred times the amount."""
    nodes("base", liar.url, till.node.url)
    till.issue_and_pay()
    liar.bend = LIES["tells_more"]
    assert (till.sweep()["amount_received"], till.credited()) == ("0.00", [2_500_000_000])
    till.node.mine(DEEP_ENOUGH)
    assert (till.sweep()["status"], till.credited()) == ("executing", [])
    liar.bend = None
    settled = till.sweep(2)
    assert (settled["status"], settled["amount_received"], till.credited()) == ("settled", "25.00", [25_000_000])


@pytest.mark.parametrize(
    ("amount", "fault"),
    [(LARGE, "500"), (LARGE, "garbage"), (LARGE, "behind"), (SMALL, "500"), (SMALL, "garbage")],
)
def test_large_amounts_wait_for_a_second_node_that_is_silent(
    till: Till, liar: Proxy, nodes: Callable[..., None], amount: str, fault: str
) -> None:
    nodes("base", till.node.url, liar.url)
    till.issue_and_pay(amount)
    till.node.mine(TO_BE_SAFE)
    liar.fault = fault
    assert till.sweep(2)["status"] == ("executing" if amount == LARGE else "settled")
    assert final_credits() == (0 if amount == LARGE else 1)
    liar.heal()
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [int(amount) * 10**6])


@pytest.mark.parametrize("lie", ["takes_back", "hides", "tells_more"])
def test_one_node_cannot_undo_what_counted(
    till: Till, liar: Proxy, order: str, lie: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Both can: then the chain was reorganised."""
    till.node.mine(10)
    till.issue_and_pay()
    assert till.finish()["status"] == "settled"
    liar.bend = LIES[lie]
    assert till.sweep(3)["status"] == "settled"
    assert (till.credited(), till.told()) == ([25_000_000], ["created", "quoted", "executing", "settled"])
    assert order == "second" or lie != "takes_back" or "nodes_disagree" in caplog.text
    liar.bend = None
    till.node.rpc("anvil_reorg", DEEP_ENOUGH + 2, [])
    assert (till.sweep()["status"], till.told()[-1]) == ("executing", "settlement_reversed")


def test_a_node_that_lost_an_index_undoes_nothing(till: Till, liar: Proxy, nodes: Callable[..., None]) -> None:
    """There is no other node, and the block that held the payment still stands."""
    nodes("base", liar.url)
    till.issue_and_pay()
    assert till.finish()["status"] == "settled"
    liar.bend = hides
    assert (till.sweep(2)["status"], till.told()) == ("settled", ["created", "quoted", "executing", "settled"])


@pytest.mark.usefixtures("order")
def test_one_node_that_shows_nothing_withdraws_nothing_that_waits(till: Till, liar: Proxy) -> None:
    """Not counted yet, it is in no block that the other one would have to hide."""
    till.node.mine(10)
    till.issue_and_pay()
    assert (till.sweep()["status"], final_credits()) == ("executing", 0)
    liar.bend = hides
    assert till.sweep(2)["status"] == "executing"
    assert list(Credit.objects.values_list("base_units", "reversed_at")) == [(25_000_000, None)]
    liar.bend = None
    till.node.mine(DEEP_ENOUGH)
    assert (till.sweep(2)["status"], till.credited()) == ("settled", [25_000_000])
