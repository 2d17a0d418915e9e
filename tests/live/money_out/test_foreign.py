"""Somebody else uses the key: the account stops, and nothing is sent again by one node's word."""

import logging
from collections.abc import Callable

import pytest

from chains.models import Transfer
from chains.transfers import Course, course_of
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, Treasury, never, once
from tests.live.proxy import Proxy
from tests.live.test_second_node import hides

ONESELF = {"value": "0x0", "data": "0x"}


def use_the_key(treasury: Treasury, nonce: int, **more: int) -> str:
    """A transaction that the service did not sign, in a block."""
    fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**10}
    sent = treasury.node.post(treasury.key, {"to": treasury.key.address, **ONESELF}, nonce=nonce, **(fees | more))
    treasury.node.mine()
    return sent


def alarms(caplog: pytest.LogCaptureFixture, word: str) -> list[int]:
    return [record.levelno for record in caplog.records if word in record.getMessage()]


def paused_for(treasury: Treasury) -> str:
    treasury.account.refresh_from_db()
    return treasury.account.paused_reason if treasury.account.paused_at is not None else ""


def lose_the_nonce(treasury: Treasury) -> Transfer:
    """A transfer is sent, and somebody's dearer transaction takes its nonce for good."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    assert treasury.advance(transfer).status == "broadcast"
    use_the_key(treasury, 0)
    treasury.node.rpc(*BLOCKS_GO)
    return transfer


def test_two_nodes_together_free_the_transfer_and_the_account_waits_for_a_person(
    treasury: Treasury, second: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    transfer = lose_the_nonce(treasury)
    assert (treasury.advance(transfer).status, paused_for(treasury)) == ("broadcast", "")
    treasury.settle()
    freed = treasury.advance(transfer)
    assert (freed.status, freed.nonce, freed.tx_hash) == ("new", None, "")
    assert (paused_for(treasury), alarms(caplog, "signer_paused")) == ("foreign_nonce", [logging.ERROR])
    waiting = treasury.advance(transfer)
    assert (waiting.status, waiting.blocker, course_of(waiting)) == ("new", "signer_paused", Course.WAITING)
    assert never(treasury)
    treasury.resume()
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0, 1]
    assert [attempt.sequence for attempt in treasury.attempts(transfer)] == [1, 2]


def test_one_node_alone_frees_nothing(treasury: Treasury, caplog: pytest.LogCaptureFixture) -> None:
    transfer = lose_the_nonce(treasury)
    treasury.settle()
    for _ in range(3):
        assert treasury.advance(transfer).status == "broadcast"
    assert (paused_for(treasury), alarms(caplog, "signer_paused")) == ("foreign_nonce", [logging.ERROR])
    treasury.resume()
    assert (treasury.advance(transfer).status, paused_for(treasury)) == ("broadcast", "foreign_nonce")
    assert (never(treasury), treasury.used_nonces()) == (True, [0])


def test_a_second_node_that_is_silent_or_without_old_states_frees_nothing(treasury: Treasury, second: Proxy) -> None:
    """Without them it cannot say how many nonces are used for good."""
    transfer = lose_the_nonce(treasury)
    treasury.settle()
    second.says["eth_getTransactionCount"] = None
    assert treasury.advance(transfer).status == "broadcast"
    second.says.clear()
    second.fault = "500"
    assert (treasury.advance(transfer).status, paused_for(treasury)) == ("broadcast", "foreign_nonce")
    second.fault = ""
    assert treasury.advance(transfer).status == "new"


def test_a_node_that_hides_our_own_transaction_frees_nothing(
    treasury: Treasury, liar: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    """It landed, but one node says that somebody else's did."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    treasury.node.mine()
    treasury.settle()
    liar.bend = hides
    for _ in range(3):
        assert treasury.advance(transfer).status in {"broadcast", "mined"}
    assert (set(alarms(caplog, "nodes_disagree")), paused_for(treasury)) == ({logging.ERROR}, "")
    liar.bend = None
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]


def test_nonces_that_somebody_took_before_us_stop_the_account(
    treasury: Treasury, caplog: pytest.LogCaptureFixture
) -> None:
    """They are above what we gave so far: the next transfer would have run into them."""
    treasury.finish(treasury.order())
    for nonce in (1, 2):
        use_the_key(treasury, nonce)
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, seen.nonce) == ("new", "signer_paused", None)
    assert (paused_for(treasury), alarms(caplog, "signer_paused")) == ("foreign_nonce", [logging.ERROR])
    treasury.resume()
    assert treasury.finish(transfer).status == "paid"
    assert (treasury.used_nonces(), treasury.landed()) == ([0, 1, 2, 3], [25_000_000] * 2)


def test_an_account_with_somebodys_transaction_waiting_does_not_start(
    treasury: Treasury, caplog: pytest.LogCaptureFixture
) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    treasury.node.post(treasury.key, {"to": treasury.key.address, **ONESELF})
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, seen.nonce) == ("new", "signer_paused", None)
    assert (paused_for(treasury), alarms(caplog, "unknown_pending")) == ("unknown_pending", [logging.ERROR])
    assert treasury.account.next_nonce is None
    treasury.node.mine()
    treasury.node.rpc(*BLOCKS_GO)
    treasury.resume()
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0, 1]


def test_two_nodes_must_count_the_same_nonces(treasury: Treasury, second: Proxy, nodes: Callable[..., None]) -> None:
    """Of an account that begins, and of one that has sent: neither goes on, and neither is stopped for good."""
    second.says["eth_getTransactionCount"] = "0x7"
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, seen.nonce) == ("new", "chain_unavailable", None)
    second.says.clear()
    assert (once(treasury, treasury.finish(transfer)), treasury.used_nonces()) == (True, [0])
    nodes("base", second.url, treasury.node.url)
    second.says["eth_getTransactionCount"] = "0x7"
    other = treasury.order()
    assert (treasury.advance(other).blocker, paused_for(treasury)) == ("chain_unavailable", "")
    second.says.clear()
    assert (treasury.finish(other).status, treasury.used_nonces()) == ("paid", [0, 1])
