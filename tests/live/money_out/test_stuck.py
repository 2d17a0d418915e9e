"""Transactions that wait, get lost, or become too cheap: the same bytes again, or a dearer one with the same nonce."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from chains.transfers import Course, course_of
from merchants.services import NewMerchant
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, Treasury, fees, never, once
from tests.live.proxy import Proxy

SPIKE = 2 * 10**9


def spike(treasury: Treasury, base_fee: int = SPIKE) -> None:
    treasury.node.rpc("anvil_setNextBlockBaseFeePerGas", hex(base_fee))
    treasury.node.mine()


@pytest.mark.spec("Rulings D6.3")
def test_what_becomes_too_cheap_is_replaced_by_a_dearer_one(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    spike(treasury)
    treasury.advance(transfer)
    assert len(treasury.attempts(transfer)) == 1
    treasury.wait()
    assert treasury.advance(transfer).status == "broadcast"
    first, other = treasury.attempts(transfer)
    [(fee, tip), (dearer_fee, dearer_tip)] = fees([first, other])
    assert dearer_fee > SPIKE
    assert (dearer_fee * 8 >= fee * 9, dearer_tip * 8 >= tip * 9) == (True, True)
    treasury.node.mine()
    paid = treasury.finish(transfer)
    assert (once(treasury, paid), paid.tx_hash, treasury.used_nonces()) == (True, other.tx_hash, [0])


def test_the_first_may_land_though_it_was_replaced(treasury: Treasury, only: Proxy) -> None:
    """The dearer one reaches nobody; the first lands after all."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    treasury.wait()
    only.refuses["eth_sendRawTransaction"] = "limit exceeded"
    treasury.advance(transfer)
    first, _ = treasury.attempts(transfer)
    treasury.node.mine()
    paid = treasury.finish(transfer)
    assert (once(treasury, paid), paid.tx_hash, treasury.used_nonces()) == (True, first.tx_hash, [0])


def test_the_cap_holds(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    spike(treasury, 20 * 10**9)
    treasury.wait()
    for _ in range(3):
        seen = treasury.advance(transfer)
        treasury.wait()
    assert (seen.status, seen.blocker, course_of(seen)) == ("broadcast", "fee_above_cap", Course.WAITING)
    assert (len(treasury.attempts(transfer)), never(treasury)) == (1, True)
    spike(treasury, 10**7)
    treasury.advance(transfer)
    treasury.node.mine()
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]


def test_offers_end_below_the_cap(treasury: Treasury) -> None:
    """It waits for ever, and is offered dearer time and again."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    for _ in range(80):
        treasury.advance(transfer)
        treasury.wait()
        if treasury.advance(transfer).blocker:
            break
    attempts = treasury.attempts(transfer)
    offered = fees(attempts)
    assert max(most for most, _ in offered) <= 10 * 10**9
    assert all(after[0] > before[0] and after[1] > before[1] for before, after in pairwise(offered))
    assert len({one.tx_hash for one in attempts}) == len(attempts)
    treasury.node.mine()
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]


def test_what_waits_for_an_earlier_one_is_not_made_dearer(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    first, other = treasury.order(), treasury.order()
    dropped = treasury.advance(first)
    treasury.advance(other)
    treasury.node.rpc("anvil_dropTransaction", dropped.tx_hash)
    treasury.wait()
    treasury.advance(other)
    assert len(treasury.attempts(other)) == 1
    treasury.advance(first)
    treasury.node.mine(2)
    assert [treasury.finish(transfer).status for transfer in (first, other)] == ["paid", "paid"]
    assert (treasury.used_nonces(), treasury.landed()) == ([0, 1], [25_000_000, 25_000_000])


def test_one_that_is_stuck_holds_up_no_other_chain_and_no_other_merchant(
    opened: Callable[..., Treasury], other_account: NewMerchant
) -> None:
    stuck, beside, elsewhere = opened(), opened(owner=other_account.merchant), opened("bnb USDC")
    stuck.node.rpc(*BLOCKS_HELD)
    waiting = stuck.order(purpose="payout")
    sent = stuck.advance(waiting)
    stuck.node.rpc("anvil_dropTransaction", sent.tx_hash)
    stuck.node.rpc(*BLOCKS_GO)
    for treasury in (beside, elsewhere):
        assert once(treasury, treasury.finish(treasury.order()))
    assert never(stuck)
    stuck.advance(waiting)
    assert once(stuck, stuck.finish(waiting))
    assert ([one.tx_hash for one in stuck.attempts(waiting)], stuck.used_nonces()) == ([sent.tx_hash], [0])


def test_no_more_is_offered_than_the_account_holds(treasury: Treasury) -> None:
    """An offer that nodes refuse for want of coin would stand in the way of the one that they hold."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    [first] = treasury.attempts(transfer)
    treasury.node.fund(treasury.key.address, int(first.max_fee or 0) * int(first.gas_limit or 0))
    treasury.wait()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, len(treasury.attempts(transfer))) == ("broadcast", "insufficient_gas", 1)
    assert course_of(seen) is Course.UNDER_WAY
    treasury.node.mine()
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]
