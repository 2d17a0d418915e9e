"""How a transfer ends, or does not yet: reverted, taken back by the chain, or told differently by two nodes."""

import logging
from collections.abc import Callable

import pytest

from chains.transfers import Course, course_of
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, GOING, STOPPED, Treasury, never, once
from tests.live.proxy import Proxy
from tests.live.test_second_node import LIES

LARGE = 1_000
"""Dollars from which a second node must agree."""


def test_a_reverted_transfer_moved_nothing_and_may_be_made_again(
    treasury: Treasury, paused: Callable[[bool], None]
) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    sent = treasury.advance(transfer)
    treasury.node.rpc("anvil_dropTransaction", sent.tx_hash)
    paused(STOPPED)
    treasury.advance(transfer)
    treasury.node.mine()
    assert treasury.advance(transfer).status == "mined"
    assert course_of(treasury.advance(transfer)) is Course.UNDER_WAY
    treasury.settle()
    ended = treasury.advance(transfer)
    assert (ended.status, ended.failure, course_of(ended)) == ("reverted", "chain_rejected", Course.REVERTED)
    assert (never(treasury), treasury.used_nonces()) == (True, [0])
    treasury.node.rpc(*BLOCKS_GO)
    paused(GOING)
    again = treasury.order(purpose_id=transfer.purpose_id)
    assert (again.round, once(treasury, treasury.finish(again)), treasury.used_nonces()) == (2, True, [0, 1])


def test_a_reorganisation_puts_it_back_and_the_same_bytes_land(treasury: Treasury) -> None:
    treasury.node.mine(5)
    transfer = treasury.order()
    before = treasury.land(transfer)
    treasury.node.mine(2)
    treasury.node.rpc("anvil_reorg", 4, [])
    treasury.node.rpc("anvil_dropAllTransactions")
    treasury.node.rpc(*BLOCKS_HELD)
    assert never(treasury)
    after = treasury.advance(transfer)
    assert (after.status, after.block_number, after.block_hash) == ("broadcast", None, "")
    treasury.node.mine()
    paid = treasury.finish(transfer)
    assert (once(treasury, paid), paid.tx_hash, treasury.used_nonces()) == (True, before.tx_hash, [0])
    assert paid.block_hash != before.block_hash
    assert treasury.passed(paid)[4:] == ["mined", "broadcast", "mined", "paid"]


def test_it_may_land_in_another_block_at_once(treasury: Treasury) -> None:
    """The chain is reorganised, and the same transaction stands in a new block before anybody looked."""
    treasury.node.mine(5)
    transfer = treasury.order()
    before = treasury.land(transfer)
    [signed] = treasury.attempts(transfer)
    treasury.node.rpc("anvil_reorg", 3, [])
    treasury.node.rpc("anvil_dropAllTransactions")
    treasury.node.mine(2)
    treasury.node.rpc("eth_sendRawTransaction", signed.raw)
    paid = treasury.finish(transfer)
    assert (once(treasury, paid), paid.block_hash != before.block_hash) == (True, True)


@pytest.mark.parametrize("lie", ["hides", "reverted", "tells_more", "in_other_blocks"])
def test_two_nodes_that_disagree_end_nothing(
    treasury: Treasury, liar: Proxy, lie: str, caplog: pytest.LogCaptureFixture
) -> None:
    transfer = treasury.order()
    treasury.advance(transfer)
    liar.bend = LIES[lie]
    treasury.settle()
    for _ in range(3):
        assert treasury.advance(transfer).status in {"mined", "broadcast"}
    told = [record.levelno for record in caplog.records if "nodes_disagree" in record.getMessage()]
    assert (set(told), treasury.landed()) == ({logging.ERROR}, [25_000_000])
    liar.bend = None
    assert once(treasury, treasury.finish(transfer))
    assert (treasury.used_nonces(), len(treasury.attempts(transfer))) == ([0], 1)


@pytest.mark.parametrize("lie", ["reverted", "tells_more"])
def test_what_a_single_node_tells_must_fit_the_order(treasury: Treasury, only: Proxy, lie: str) -> None:
    """Where there is one node its word counts; one that tells of another amount is no proof of anything."""
    transfer = treasury.order()
    only.bend = LIES[lie]
    ended = treasury.finish(transfer)
    assert ended.status == ("reverted" if lie == "reverted" else "mined")


@pytest.mark.parametrize(("whole", "fault"), [(LARGE, "500"), (LARGE, "garbage"), (LARGE, "behind"), (25, "500")])
def test_large_amounts_wait_for_a_second_node_that_is_silent(
    treasury: Treasury, second: Proxy, whole: int, fault: str
) -> None:
    treasury.node.mine(200)
    transfer = treasury.order(whole)
    treasury.land(transfer)
    treasury.settle()
    second.fault = fault
    assert [treasury.advance(transfer).status for _ in range(2)] == ["mined" if whole == LARGE else "paid"] * 2
    second.fault = ""
    assert once(treasury, treasury.advance(transfer), whole)


def test_a_node_that_lies_about_a_failure_does_not_fail_it(treasury: Treasury, second: Proxy) -> None:
    """Before anything is signed: one node says that the call would fail."""
    second.says["eth_simulateV1"] = [{"calls": [{"status": "0x0", "logs": []}]}]
    transfer = treasury.order()
    assert once(treasury, treasury.finish(transfer))
    second.says.clear()
