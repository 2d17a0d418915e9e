"""A worker that comes late, when another one has planned a refund's next attempt, sends nothing and changes nothing."""

import pytest

from refunds.services.advance import advance_refund, claim_due, sweep_due
from refunds.services.dispatch import order_transfer
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.world import World
from tests.refunds.stories import PAYEE, refund, row, settled, steps, work


@pytest.mark.spec("States: refund")
def test_an_overtaken_worker_sends_nothing(world: World, api: ApiClient) -> None:
    made = refund(api, settled(world, api, metadata={"simulate": "refund_retry"}), destination=PAYEE)
    [overtaken] = claim_due()
    world.wait(45)
    assert sweep_due() == 1
    assert (steps(made)[-1], row(made).attempts) == ("retry_scheduled", 1)
    before = all_rows()
    assert order_transfer(row(made).intent_id, overtaken) is None
    advance_refund(overtaken)
    assert all_rows() == before
    work(world, 60)
    assert (steps(made)[-1], row(made).attempts) == ("paid", 2)
