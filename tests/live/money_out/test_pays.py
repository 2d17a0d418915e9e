"""A transfer lands once and is paid when that is final: on each kind of token, wherever a worker dies or lags."""

from collections.abc import Callable
from contextlib import suppress
from itertools import combinations_with_replacement, count
from typing import Any

import pytest

from chains import ledger
from chains.blockers import Blocked
from chains.clients.endpoints import Endpoint
from chains.rails.evm.rail import EvmRail
from chains.transfers import Course, course_of
from tests.live.conftest import forget_nodes
from tests.live.money_out.conftest import ASSETS
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, FINAL_AFTER, Treasury, once, read


@pytest.mark.parametrize("asset", ASSETS)
def test_it_pays_once(opened: Callable[..., Treasury], asset: str) -> None:
    treasury = opened(asset)
    transfer = treasury.order(25)
    assert course_of(transfer) is Course.UNDER_WAY
    mined = treasury.land(transfer)
    assert (mined.status, course_of(mined)) == ("mined", Course.UNDER_WAY)
    treasury.node.mine(FINAL_AFTER - 2)
    assert treasury.advance(transfer).status == "mined"
    treasury.node.mine(3)
    paid = treasury.advance(transfer)
    assert (once(treasury, paid), course_of(paid), paid.blocker) == (True, Course.PAID, "")
    [landed] = treasury.sent()
    assert (paid.tx_hash, paid.nonce, paid.sender) == ("0x" + bytes(landed["hash"]).hex(), 0, treasury.key.address)
    assert treasury.passed(paid) == ["new", "reserved", "signed", "broadcast", "mined", "paid"]
    raw = treasury.node.rpc("eth_getRawTransactionByHash", paid.tx_hash)
    assert [attempt.raw for attempt in treasury.attempts(paid)] == [raw]
    again = treasury.order(purpose_id=paid.purpose_id)
    assert (again.pk, treasury.finish(again).paid_at) == (paid.pk, paid.paid_at)
    assert (once(treasury, paid), paid.paid_at is None) == (True, False)


def test_nonces_follow_each_other(treasury: Treasury) -> None:
    transfers = [treasury.order() for _ in range(3)]
    for transfer in transfers:
        treasury.advance(transfer)
    treasury.settle()
    paid = [treasury.advance(transfer) for transfer in transfers]
    assert [(one.status, one.nonce) for one in paid] == [("paid", 0), ("paid", 1), ("paid", 2)]
    assert (treasury.used_nonces(), treasury.landed()) == ([0, 1, 2], [25_000_000] * 3)
    treasury.account.refresh_from_db()
    assert (treasury.account.next_nonce, treasury.account.final_nonce) == (3, 2)


def test_an_account_that_was_used_before_goes_on_from_there(treasury: Treasury) -> None:
    for _ in range(2):
        treasury.node.send(treasury.key, {"to": treasury.key.address, "value": "0x0", "data": "0x"})
    paid = treasury.finish(treasury.order())
    assert (once(treasury, paid), paid.nonce, treasury.used_nonces()) == (True, 2, [0, 1, 2])


STEPS = ("reserve", "sign", "send", "look")
PAIRS = list(combinations_with_replacement(range(len(STEPS)), 2))


@pytest.mark.parametrize(("late", "done"), PAIRS, ids=["-".join(STEPS[one] for one in pair) for pair in PAIRS])
def test_a_late_worker_changes_nothing(treasury: Treasury, late: int, done: int) -> None:
    """It read the transfer before one step, and acts on that only after a later one."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    stale = read(transfer)
    for number in range(done + 1):
        if number == late:
            stale = read(transfer)
        treasury.step(transfer)
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
    treasury.step(transfer)
    stale = read(transfer)
    treasury.withdraw(transfer)
    with pytest.raises(Blocked):
        EvmRail().step(stale)
    treasury.advance(transfer)
    treasury.node.mine()
    ended = treasury.finish(transfer)
    assert (ended.status, treasury.landed(), treasury.used_nonces()) == ("failed", [], [0])


class Death(BaseException):
    """The process ends here; nobody catches that."""


def dying(act: Callable[..., Any], at: int, *, after: bool, reached: list[int]) -> Callable[..., Any]:
    """The same, until it is called so often; then it dies instead, or once it is done. ``reached`` tells of it."""
    calls = count(1)

    def act_or_die(*given: Any, **named: Any) -> Any:
        is_last = next(calls) == at
        reached.extend([at] * is_last)
        if is_last and not after:
            raise Death
        result = act(*given, **named)
        if is_last:
            raise Death
        return result

    return act_or_die


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("place", "name", "least"), [(Endpoint, "ask", 6), (ledger, "advance", 5)], ids=["node", "row"]
)
def test_it_lands_once_wherever_a_worker_dies(  # noqa: PLR0913, PLR0917 - the matrix has its dimensions
    treasury: Treasury, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, least: int, after: bool
) -> None:
    for at in count(1):
        transfer = treasury.order()
        reached: list[int] = []
        with monkeypatch.context() as patched, suppress(Death):
            patched.setattr(place, name, dying(getattr(place, name), at, after=after, reached=reached))
            treasury.finish(transfer)
        forget_nodes()
        treasury.advance(transfer)
        assert treasury.finish(transfer).status == "paid", f"died at {at}"
        assert (treasury.landed(), treasury.used_nonces()) == ([25_000_000] * at, list(range(at))), f"died at {at}"
        assert len(treasury.attempts(transfer)) == 1
        if not reached:  # and not whether it died: of two questions at once, one may die unheard
            assert at > least, f"only {at - 1} places were tried"
            return
