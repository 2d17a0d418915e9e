"""All signing is paused while transfers are at every stage: no byte leaves, and each is paid once afterwards."""

import pytest

from chains.models.transfers import AttemptKind
from chains.rails.evm.signing import sign_dearer
from chains.transfers import Course, course_of
from core.pauses import Paused, pause, resume
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, Treasury, never, once, read

BY = "root@service.example"


def stop() -> None:
    pause(Paused.SIGNING, reason="a key may have leaked", by=BY)


@pytest.mark.parametrize("steps", [0, 1, 2], ids=["new", "reserved", "signed"])
def test_nothing_leaves_from_any_stage_and_all_of_it_goes_afterwards(treasury: Treasury, steps: int) -> None:
    transfer = treasury.order()
    stage = treasury.step(transfer, steps) if steps else "new"
    stop()
    for _ in range(2):
        seen = treasury.advance(transfer)
        assert (seen.status, seen.blocker, course_of(seen)) == (stage, "signing_paused", Course.WAITING)
    treasury.settle()
    assert (len(treasury.attempts(transfer)), never(treasury)) == (int(steps == 2), True)
    resume(Paused.SIGNING, by=BY)
    assert (once(treasury, treasury.finish(transfer)), treasury.used_nonces()) == (True, [0])
    assert read(transfer).blocker == ""


def test_what_was_sent_is_followed_and_neither_outbid_nor_called_off(treasury: Treasury) -> None:
    """A pause signs nothing at all; a withdrawal waits for it, and comes first afterwards."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    assert treasury.advance(transfer).status == "broadcast"
    stop()
    treasury.wait()
    treasury.withdraw(transfer)
    assert treasury.advance(transfer).status == "broadcast"
    assert not sign_dearer(read(transfer), AttemptKind.NOOP)
    assert [one.kind for one in treasury.attempts(transfer)] == ["pay"]
    resume(Paused.SIGNING, by=BY)
    treasury.advance(transfer)
    assert [one.kind for one in treasury.attempts(transfer)] == ["pay", "noop"]
    treasury.node.rpc(*BLOCKS_GO)
    assert (treasury.finish(transfer).status, never(treasury), treasury.used_nonces()) == ("failed", True, [0])


def test_what_lands_in_the_pause_is_paid(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    assert treasury.advance(transfer).status == "broadcast"
    stop()
    treasury.settle()
    assert once(treasury, treasury.finish(transfer))
