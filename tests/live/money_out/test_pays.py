"""A transfer lands exactly once and is called paid when that is final, on every kind of token."""

from collections.abc import Callable

import pytest

from chains.models import Transfer
from chains.transfers import Course, course_of
from tests.live.money_out.conftest import ASSETS
from tests.live.money_out.treasury import FINAL_AFTER, Treasury, once


@pytest.mark.parametrize("asset", ASSETS)
def test_it_pays_once(opened: Callable[..., Treasury], asset: str) -> None:
    treasury = opened(asset)
    transfer = treasury.order(25)
    assert treasury.land(transfer).status == "mined"
    treasury.settle()
    paid = treasury.advance(transfer)
    assert once(treasury, paid)
    [landed] = treasury.sent()
    assert (paid.tx_hash, paid.nonce, paid.sender) == ("0x" + bytes(landed["hash"]).hex(), 0, treasury.key.address)
    assert treasury.passed(paid) == ["new", "reserved", "signed", "broadcast", "mined", "paid"]
    assert [attempt.raw for attempt in treasury.attempts(paid)] == [
        treasury.node.rpc("eth_getRawTransactionByHash", paid.tx_hash)
    ]


def test_it_waits_for_finality(treasury: Treasury) -> None:
    transfer = treasury.order()
    treasury.advance(transfer)
    treasury.node.mine(FINAL_AFTER - 2)
    assert treasury.advance(transfer).status == "mined"
    treasury.node.mine(3)
    assert once(treasury, treasury.advance(transfer))


def test_what_is_paid_stays_so(treasury: Treasury) -> None:
    paid = treasury.finish(treasury.order())
    assert paid.paid_at is not None
    again = treasury.order(purpose_id=paid.purpose_id)
    assert (again.pk, treasury.finish(again).paid_at) == (paid.pk, paid.paid_at)
    assert once(treasury, paid)


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


def test_each_course_is_told(treasury: Treasury) -> None:
    transfer = treasury.order()
    assert course_of(transfer) is Course.UNDER_WAY
    assert course_of(treasury.advance(transfer)) is Course.UNDER_WAY
    treasury.settle()
    assert course_of(treasury.advance(transfer)) is Course.PAID
    assert Transfer.objects.get(pk=transfer.pk).hindrance == ""
