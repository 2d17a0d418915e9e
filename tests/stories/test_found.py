"""What random stories found, told again step by step: a reorganisation takes a part, and nothing leaves for it."""

import time_machine

from core.money import usd
from payments.amounts import amount_due
from payments.models import PaymentIntent
from payments.services import advance as payments
from payouts.services import sweep_due
from refunds.models import Refund
from refunds.services import advance as refunds
from tests.stories import payers
from tests.stories.chain import FINAL_AFTER
from tests.stories.shopkeepers import ask_refund_of
from tests.stories.stage import Story, open_story


def _work(story: Story, blocks: int) -> None:
    """Blocks, and workers who look at everything twice."""
    story.pass_blocks(blocks)
    for _ in range(2):
        story.pass_time(61)
        payments.sweep_due()
        refunds.sweep_due()
        sweep_due()


def test_what_went_back_while_a_reorganisation_had_unsettled_it_is_due_again(clock: time_machine.Traveller) -> None:
    """Story 917. What a merchant returns of a settled payment is not due again; this one was not settled then."""
    story = open_story(917, clock)
    intent_id = payers.ask_for(story, "25", story.account, 86_400)
    leg = payers.begin(story, intent_id, story.payers[0])
    assert leg is not None
    payers.send(story, leg, 24_000_000, leg.payer)
    _work(story, FINAL_AFTER + 2)
    rest = payers.begin(story, intent_id, story.payers[1])
    assert rest is not None
    payers.send(story, rest, 1_000_000, rest.payer)
    _work(story, 7)
    assert PaymentIntent.objects.get(pk=intent_id).status == "settled"
    story.home.reorganise(9, lambda one: one.sender == rest.payer)
    _work(story, 7)
    assert PaymentIntent.objects.get(pk=intent_id).status == "partially_filled"
    ask_refund_of(story, intent_id, "12")
    assert Refund.objects.get(intent=intent_id).status == "waiting"
    payers.send(story, rest, 1_000_000, rest.payer)
    _work(story, FINAL_AFTER + 2)
    intent = PaymentIntent.objects.get(pk=intent_id)
    assert (intent.status, intent.received_usd, amount_due(intent)) == ("partially_filled", usd("25"), usd("12"))
