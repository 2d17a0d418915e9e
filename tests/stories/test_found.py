"""What random stories found, told again step by step: a reorganisation takes a part, and nothing leaves for it."""

import time_machine

from core.money import usd
from payments.amounts import amount_due
from payments.models import PaymentIntent
from payments.services import advance as payments
from payouts.models import Payout
from payouts.services import create_payout, sweep_due
from refunds.models import Refund
from refunds.services import advance as refunds
from tests.stories import payers, workers
from tests.stories.chain import FINAL_AFTER
from tests.stories.shopkeepers import ask_refund_of
from tests.stories.stage import Leg, Story, open_story

UNITS = 25_000_000


def _leg(story: Story) -> Leg:
    intent_id = payers.ask_for(story, "25", story.account, 86_400)
    leg = payers.begin(story, intent_id, story.payers[0])
    assert leg is not None
    return leg


def _work(story: Story, blocks: int) -> None:
    """Blocks, and workers who look at everything twice."""
    story.pass_blocks(blocks)
    for _ in range(2):
        story.pass_time(61)
        payments.sweep_due()
        refunds.sweep_due()
        sweep_due()


def _left(story: Story) -> int:
    return sum(one.units for one in story.home.moved() if one.holder == story.account)


def test_a_payout_sends_nothing_that_was_taken_back_while_it_waited(clock: time_machine.Traveller) -> None:
    """Two payments count and are not final; one goes, the other one still settles: what was planned is not there."""
    story = open_story(7, clock)
    leg = _leg(story)
    payers.send(story, leg, UNITS, leg.payer)
    story.pass_blocks(1)
    payers.send(story, leg, UNITS, story.payers[1])
    _work(story, 7)
    made = create_payout(story.principal, leg.intent_id, "key").payout
    assert (made.base_units, made.status, _left(story)) == (2 * UNITS, "queued", 0)
    story.home.reorganise(9, lambda one: one.sender == story.payers[1])
    _work(story, FINAL_AFTER + 2)
    payout, intent = Payout.objects.get(pk=made.pk), PaymentIntent.objects.get(pk=leg.intent_id)
    assert (payout.status, payout.failure_reason, payout.transfer_id) == ("failed", "balance_changed", None)
    assert (intent.status, intent.received_usd, _left(story)) == ("settled", usd("25"), 0)
    rest = create_payout(story.principal, leg.intent_id, "again", rest=True).payout
    _work(story, FINAL_AFTER + 2)
    _work(story, FINAL_AFTER + 2)
    assert (rest.base_units, Payout.objects.get(pk=rest.pk).status, _left(story)) == (UNITS, "paid", UNITS)


def test_a_refund_takes_nothing_that_a_payout_sent(clock: time_machine.Traveller) -> None:
    """What came is paid out; more comes, is asked back, and is taken away: the first money is not there twice."""
    story = open_story(8, clock)
    declined = _leg(story)
    payers.decline_own(story, declined)
    leg = payers.begin(story, declined.intent_id, story.payers[1])
    assert leg is not None
    payers.send(story, leg, UNITS, leg.payer)
    _work(story, FINAL_AFTER + 2)
    create_payout(story.principal, leg.intent_id, "key")
    _work(story, 0)
    _work(story, FINAL_AFTER + 2)
    assert (Payout.objects.get(intent_id=leg.intent_id).status, _left(story)) == ("paid", UNITS)
    payers.send(story, declined, UNITS, declined.payer)
    _work(story, 7)
    ask_refund_of(story, leg.intent_id, "25")
    made = Refund.objects.get(intent_id=leg.intent_id)
    reply = story.ask(f"/refunds/{made.pk}/destination", {"destination": declined.payer})
    assert reply.status == 200, reply.body
    workers.drop_all(story)
    _work(story, FINAL_AFTER + 2)
    _work(story, FINAL_AFTER + 2)
    refund = Refund.objects.get(pk=made.pk)
    assert (refund.status, refund.destination, refund.transfer_id) == ("queued", declined.payer, None)
    assert _left(story) == UNITS


def test_what_went_back_while_a_reorganisation_had_unsettled_it_is_due_again(clock: time_machine.Traveller) -> None:
    """Story 917. What a merchant returns of a settled payment is not due again; this one was not settled then."""
    story = open_story(917, clock)
    leg = _leg(story)
    payers.send(story, leg, 24_000_000, leg.payer)
    _work(story, FINAL_AFTER + 2)
    rest = payers.begin(story, leg.intent_id, story.payers[1])
    assert rest is not None
    payers.send(story, rest, 1_000_000, rest.payer)
    _work(story, 7)
    assert PaymentIntent.objects.get(pk=leg.intent_id).status == "settled"
    story.home.reorganise(9, lambda one: one.sender == rest.payer)
    _work(story, 7)
    assert PaymentIntent.objects.get(pk=leg.intent_id).status == "partially_filled"
    ask_refund_of(story, leg.intent_id, "12")
    assert Refund.objects.get(intent=leg.intent_id).status == "waiting"
    payers.send(story, rest, 1_000_000, rest.payer)
    _work(story, FINAL_AFTER + 2)
    intent = PaymentIntent.objects.get(pk=leg.intent_id)
    assert (intent.status, intent.received_usd, amount_due(intent)) == ("partially_filled", usd("25"), usd("12"))
