"""Workers that really run at once, with real row locks: no transfer lands twice, and no nonce is left out."""

from functools import partial

import pytest

from chains.transfers import advance_transfer
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, Treasury
from tests.races.lineup import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
WORKERS, ROUNDS = 4, 4


def test_workers_with_the_same_transfer_send_it_once(transactional_db: None, treasury: Treasury) -> None:
    transfers = [treasury.order() for _ in range(ROUNDS)]
    for transfer in transfers:
        at_once([partial(advance_transfer, transfer.pk)] * WORKERS)
    treasury.settle()
    for transfer in transfers:
        at_once([partial(advance_transfer, transfer.pk)] * WORKERS)
        assert (treasury.advance(transfer).status, len(treasury.attempts(transfer))) == ("paid", 1)
        assert treasury.passed(transfer) == ["new", "reserved", "signed", "broadcast", "mined", "paid"]
    assert (treasury.used_nonces(), treasury.landed()) == (list(range(ROUNDS)), [25_000_000] * ROUNDS)


def test_transfers_of_one_account_at_once_leave_no_gap(transactional_db: None, treasury: Treasury) -> None:
    transfers = [treasury.order() for _ in range(WORKERS)]
    at_once([partial(advance_transfer, transfer.pk) for transfer in transfers])
    for transfer in transfers:
        treasury.advance(transfer)
    treasury.settle()
    assert [treasury.advance(transfer).status for transfer in transfers] == ["paid"] * WORKERS
    assert (treasury.used_nonces(), treasury.landed()) == (list(range(WORKERS)), [25_000_000] * WORKERS)


def test_workers_that_offer_more_at_once_store_one_offer(transactional_db: None, treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    for offers in (2, 3):
        treasury.wait()
        at_once([partial(advance_transfer, transfer.pk)] * WORKERS)
        assert [attempt.sequence for attempt in treasury.attempts(transfer)] == list(range(1, offers + 1))
    treasury.node.rpc(*BLOCKS_GO)
    treasury.node.mine()
    assert treasury.finish(transfer).status == "paid"
    assert (treasury.used_nonces(), treasury.landed()) == ([0], [25_000_000])
