"""What a payer is told: in every situation three true parts, in the words of the explanation."""

from dataclasses import fields
from datetime import timedelta
from decimal import Decimal
from itertools import product

import pytest

from checkout.messages import Message, message_for
from core.clock import now
from core.money import UsdAmount
from payments.explanation import Rows
from payments.models import PaymentIntent
from payments.states import IntentStatus, Problem
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World

LAST_ERRORS = ["", *Problem.values]
NOTHING_MOVED = ("No money has moved", "No money reached", "No money moves until")


def message_in(status: str, received: str = "0", **more: object) -> Message:
    """What is said of an intent over 25 dollars that nothing else is known of."""
    intent = PaymentIntent(
        status=status,
        amount=UsdAmount(Decimal(25)),
        received_usd=UsdAmount(Decimal(received)),
        expires_due_at=now() + timedelta(minutes=5),
        **more,
    )
    return message_for(Rows(intent, now(), legs=[], attempt=None, credits=[], last_step=None))


@pytest.mark.spec("Hosted checkout: what happened, where the money is, what to do")
@pytest.mark.spec("Hosted checkout: where the money is")
def test_every_situation_has_three_true_parts() -> None:
    received = ("0", "15", "25", "50")
    for status, last_error, amount, in_doubt in product(IntentStatus.values, LAST_ERRORS, received, (True, False)):
        message = message_in(status, amount, last_error_code=last_error, in_doubt=in_doubt)
        for part in fields(message):
            text = getattr(message, part.name)
            assert text
            assert part.name == "code" or text.endswith((".", "!"))
        if amount == "15" and not in_doubt:
            assert not message.money.startswith(NOTHING_MOVED), message


def test_a_top_up_says_that_something_is_there(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    payer = Payer.of(intent)
    payer.quote(world)
    message = payer.state()["message"]
    assert message["code"].startswith("quoted")
    assert "merchant" in message["money"]
