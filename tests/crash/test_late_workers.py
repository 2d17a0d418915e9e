"""A worker that died comes back late: what ran out meanwhile is made anew or ended, never left."""

import pytest

from payments.services.advance import SWEEP, advance_intent, sweep_due
from tests.factories.queue import due_at
from tests.journeys.recipe import receiving
from tests.races.shop import Shop
from tests.webhooks.actors import happen, subscribe
from webhooks import delivery
from webhooks.delivery.claims import claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import Lanes

pytestmark = pytest.mark.django_db


def test_a_quote_that_ran_out_is_made_anew_for_the_simulated_payer(shop: Shop) -> None:
    intent_id = shop.create()
    shop.pay(intent_id)
    advance_intent(intent_id)
    assert shop.status(intent_id) == "quoted"
    shop.advance(61)
    shop.finish()
    assert shop.status(intent_id) == "settled"
    assert [line.trigger for line in shop.row(intent_id).get().history.all()].count("quote") == 1
    shop.check()


@pytest.mark.spec("States: expired")
def test_a_quoted_intent_whose_time_ran_out_expires(shop: Shop) -> None:
    intent_id = shop.create()
    shop.pay(intent_id)
    advance_intent(intent_id)
    assert shop.status(intent_id) == "quoted"
    shop.advance(1800)
    sweep_due()
    assert shop.status(intent_id) == "expired"
    assert shop.attempt(intent_id).status == "abandoned"
    shop.check()


def test_a_sweep_ends_though_more_is_due(shop: Shop) -> None:
    """Else deliveries would wait for as long as money moves."""
    intents = [shop.create() for _ in range(5)]
    for intent_id in intents:
        shop.pay(intent_id)
    assert sweep_due(seconds=0) == 1
    assert len(SWEEP.claim()) >= len(intents) - 1
    assert [shop.status(intent_id) for intent_id in intents].count("requires_payment") == len(intents) - 1


def test_the_only_worker_need_not_wait_for_the_leases_of_the_dead(shop: Shop) -> None:
    far = shop.create()
    intent_id = shop.create()
    shop.pay(intent_id)
    with receiving() as receiver:
        receiver.secrets.append(subscribe(shop.principal, receiver.url).secret)
        event = happen(shop.principal)
        fan_out()
        assert [claim.key for claim in SWEEP.claim()] == [intent_id]
        assert [mine.event_id for mine in claim(Lanes())] == [event.id]
        assert (sweep_due(), delivery.drain()) == (0, 0)
        planned = due_at(far)
        SWEEP.take_over()
        delivery.take_over_leases()
        assert sweep_due() == 1
        assert delivery.drain() > 0
    assert event.id in {one["id"] for one in receiver.accepted()}
    assert due_at(far) == planned
