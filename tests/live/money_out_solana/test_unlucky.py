"""What goes wrong on the way: lost replies, lost transactions, expiry, failure. Never is anything paid twice."""

from typing import Any

import pytest

from localnet.solana.money import USDC
from localnet.solana.runtime import Refused
from tests.live.money_out_solana.treasury import FOREVER, Treasury
from tests.live.proxy import Proxy


def _lost(method: str, result: Any) -> Any:
    """The node takes it, and the connection breaks before it says so."""
    if method == "sendTransaction":
        raise ConnectionAbortedError
    return result


def test_a_reply_that_is_lost_changes_nothing(treasury: Treasury, only: Proxy) -> None:
    treasury.order()
    only.bend = _lost
    assert treasury.advance() == "mined"
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)


def test_a_node_that_refuses_may_have_sent_it_all_the_same(treasury: Treasury, only: Proxy) -> None:
    """Whatever a node answers, the transfer counts as sent, and is looked for."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    only.lacks = frozenset({"sendTransaction"})
    assert treasury.advance() == "broadcast"
    assert treasury.advance() == "broadcast"
    only.lacks = frozenset()
    treasury.node.hold_next(0)
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)


def test_what_no_node_could_be_given_is_sent_later(treasury: Treasury, only: Proxy) -> None:
    """A crash after signing looks the same: the stored bytes are what is sent."""
    treasury.order()
    only.bend = lambda method, result: _break(only) if method == "simulateTransaction" else result
    assert treasury.advance() == "new:chain_unavailable"
    only.bend, only.fault = (lambda _, result: result), ""
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)


def _break(proxy: Proxy) -> None:
    proxy.fault = "hang-up"
    raise ConnectionAbortedError


def test_what_the_network_lost_is_sent_again_as_it_is(treasury: Treasury) -> None:
    treasury.order()
    treasury.node.drop_next(1)
    assert treasury.advance() == "broadcast"
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)


def test_what_is_known_already_counts_as_sent(treasury: Treasury) -> None:
    """Two workers send the same bytes: the second hears that they were processed."""
    treasury.order()
    treasury.node.drop_next(1)
    assert treasury.advance() == "broadcast"
    raw = treasury.transfer.attempts.get().raw
    treasury.node.rpc("sendTransaction", raw, {"encoding": "base64"})
    with pytest.raises(Refused):
        treasury.node.rpc("sendTransaction", raw, {"encoding": "base64"})
    treasury.transfer.attempts.update(first_broadcast_at=None)
    assert treasury.finish() == "paid"
    assert treasury.paid_times() == 1


@pytest.mark.parametrize("both", [True, False], ids=["two-nodes", "one-node"])
def test_what_expired_is_signed_again_once_that_is_final(
    treasury: Treasury, request: pytest.FixtureRequest, both: bool
) -> None:
    if both:
        request.getfixturevalue("other")
    treasury.order()
    treasury.node.drop_next(FOREVER)
    assert treasury.advance() == "broadcast"
    treasury.pass_expiry(0)
    assert treasury.advance() == "broadcast"
    assert len(treasury.signatures()) == 1
    treasury.node.drop_next(0)
    treasury.pass_expiry(1)
    assert treasury.advance() == "mined"
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 2)
    assert treasury.path() == ["new", "signed", "broadcast", "new", "signed", "broadcast", "mined", "paid"]


@pytest.mark.parametrize("slots", [1, 2, 30])
def test_what_is_past_its_last_block_may_still_turn_out_to_have_landed(treasury: Treasury, slots: int) -> None:
    """Confirmed is not final: a block within its life can still win, so nothing is signed in its place."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    assert treasury.advance() == "broadcast"
    [first] = treasury.signatures()
    last = treasury.last_slot()
    treasury.pass_expiry(slots, final=False)
    treasury.node.hold_next(0)
    meanwhile = treasury.advance()
    treasury.node.emerge(first, last)
    assert treasury.finish() == "paid"
    assert treasury.paid_times() == 1
    assert (meanwhile, treasury.signatures()) == ("broadcast", [first])


def test_once_it_is_dead_no_block_can_hold_it(treasury: Treasury) -> None:
    treasury.order()
    treasury.node.hold_next(FOREVER)
    treasury.advance()
    [first] = treasury.signatures()
    last = treasury.last_slot()
    treasury.pass_expiry(1)
    treasury.node.hold_next(0)
    assert treasury.advance() == "mined"
    with pytest.raises(ValueError, match="no block can hold it"):
        treasury.node.emerge(first, last)
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 2)


def test_one_that_failed_on_the_chain_ends_reverted_when_that_is_final(treasury: Treasury) -> None:
    """The money left between the node's trial and the block."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    treasury.advance()
    [first] = treasury.signatures()
    treasury.node.mint(USDC, treasury.address, -1_000_000_000)
    treasury.node.advance(1)
    treasury.node.emerge(first, treasury.node.head())
    treasury.node.advance(1)
    treasury.node.hold_next(0)
    assert treasury.advance() == "mined"
    treasury.node.advance(10)
    assert treasury.advance() == "mined"
    treasury.node.finalize()
    assert treasury.advance() == "reverted:chain_rejected"
    assert (treasury.paid_times(), len(treasury.landed())) == (0, 1)


def test_what_a_fork_took_back_is_sent_again_as_it_is(treasury: Treasury) -> None:
    treasury.order()
    assert treasury.advance() == "mined"
    treasury.node.roll_back(treasury.transfer.tx_hash)
    assert treasury.paid_times() == 0
    assert treasury.advance() == "mined"
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)
    assert treasury.path() == ["new", "signed", "broadcast", "mined", "broadcast", "mined", "paid"]


def test_one_that_was_withdrawn_is_waited_for_until_it_is_dead(treasury: Treasury) -> None:
    treasury.order()
    treasury.node.drop_next(FOREVER)
    assert treasury.advance() == "broadcast"
    assert not treasury.withdraw()
    treasury.node.drop_next(0)
    assert treasury.advance() == "broadcast"
    treasury.pass_expiry(0)
    assert treasury.advance() == "broadcast"
    treasury.pass_expiry(1)
    assert treasury.advance() == "failed:withdrawn"
    assert (treasury.paid_times(), len(treasury.signatures())) == (0, 1)
    assert treasury.withdraw()


def test_one_that_was_withdrawn_too_late_is_paid(treasury: Treasury) -> None:
    treasury.order()
    treasury.node.hold_next(FOREVER)
    treasury.advance()
    assert not treasury.withdraw()
    treasury.node.advance(5)
    [first] = treasury.signatures()
    treasury.node.emerge(first, treasury.node.head())
    assert treasury.finish() == "paid"
    assert treasury.paid_times() == 1


def test_one_that_was_withdrawn_before_it_was_signed_ends_at_once(treasury: Treasury) -> None:
    treasury.order()
    assert treasury.withdraw()
    assert treasury.advance() == "failed:withdrawn"
    assert (treasury.paid_times(), treasury.signatures()) == (0, [])
