"""Two workers with the same transfer in hand, one of them late: one nonce, one attempt, one landing."""

from itertools import combinations_with_replacement

import pytest

from chains.models import Transfer
from chains.rails.base import Hindered
from chains.rails.evm.rail import EvmRail
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, Treasury, once

STEPS = ("reserve", "sign", "send", "look")
PAIRS = list(combinations_with_replacement(range(len(STEPS)), 2))


def read(transfer: Transfer) -> Transfer:
    """The transfer as a worker reads it now."""
    return Transfer.objects.select_related("account").get(pk=transfer.pk)


@pytest.mark.parametrize(("late", "done"), PAIRS, ids=["-".join(STEPS[one] for one in pair) for pair in PAIRS])
def test_a_late_worker_changes_nothing(treasury: Treasury, late: int, done: int) -> None:
    """It read the transfer before one step, and acts on that only after a later one."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    stale = read(transfer)
    for number in range(done + 1):
        if number == late:
            stale = read(transfer)
        EvmRail().step(read(transfer))
    EvmRail().step(stale)
    treasury.node.rpc(*BLOCKS_GO)
    treasury.node.mine()
    paid = treasury.finish(transfer)
    assert (once(treasury, paid), treasury.used_nonces(), len(treasury.attempts(paid))) == (True, [0], 1)
    treasury.account.refresh_from_db()
    assert treasury.account.next_nonce == 1


@pytest.mark.spec("Rulings D6.1")
def test_both_offer_more_and_one_offer_is_kept(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    treasury.wait()
    stale = read(transfer)
    treasury.advance(transfer)
    EvmRail().step(stale)
    assert [attempt.sequence for attempt in treasury.attempts(transfer)] == [1, 2]
    treasury.node.mine()
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]


def test_a_late_worker_does_not_pay_what_was_withdrawn(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    EvmRail().step(read(transfer))
    stale = read(transfer)
    treasury.withdraw(transfer)
    with pytest.raises(Hindered):
        EvmRail().step(stale)
    treasury.advance(transfer)
    treasury.node.mine()
    ended = treasury.finish(transfer)
    assert (ended.status, treasury.landed(), treasury.used_nonces()) == ("failed", [], [0])
