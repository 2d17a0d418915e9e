"""What a payer is told: for every status and every last error three true parts."""

from dataclasses import fields
from decimal import Decimal
from itertools import product

import pytest

from checkout.messages import CATALOGUE, message_for
from core.money import UsdAmount
from payments.models import PaymentIntent
from payments.states import IntentStatus
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.statuses import intent_in
from tests.payments.world import World

LAST_ERRORS = [
    "",
    "route_unavailable",
    "price_unavailable",
    "execution_failed",
    "bridge_refunded",
    "bridge_unfilled",
    "signature_missing",
]
NOTHING_MOVED = ("No money has moved", "No money reached", "No money moves until")


def intent_with(status: str, received: str = "0", **more: object) -> PaymentIntent:
    """An unsaved intent over 25 dollars."""
    return PaymentIntent(
        status=status, amount=UsdAmount(Decimal(25)), received_usd=UsdAmount(Decimal(received)), **more
    )


@pytest.mark.spec("Hosted checkout: what happened, where the money is, what to do")
@pytest.mark.parametrize("status", IntentStatus.values)
def test_every_situation_has_three_parts(status: str) -> None:
    for last_error, received, in_doubt in product(LAST_ERRORS, ("0", "15", "25", "50"), (True, False)):
        message = message_for(intent_with(status, received, last_error_code=last_error, in_doubt=in_doubt))
        for part in fields(message):
            text = getattr(message, part.name)
            assert text
            assert part.name == "code" or text.endswith((".", "!"))


def test_every_last_error_is_explained_while_one_may_pay_again() -> None:
    for code in LAST_ERRORS[1:]:
        if code == "signature_missing":  # only ever beside money that arrived
            continue
        assert message_for(intent_with("requires_payment", last_error_code=code)).code == code


@pytest.mark.spec("Hosted checkout: where the money is")
@pytest.mark.parametrize("status", IntentStatus.values)
@pytest.mark.parametrize("last_error", LAST_ERRORS)
def test_nobody_who_paid_is_told_that_no_money_moved(status: str, last_error: str) -> None:
    message = message_for(intent_with(status, "15", last_error_code=last_error))
    assert not message.money.startswith(NOTHING_MOVED), message


def test_the_catalogue_holds_nothing_unused() -> None:
    """Every code can be met: by a status, by an error, or by money that came."""
    met = {
        message_for(
            intent_with(status, received, last_error_code=code, in_doubt=doubt, overpaid_usd=Decimal(over))
        ).code
        for status, received, code, doubt, over in product(
            IntentStatus.values, ("0", "15"), LAST_ERRORS, (True, False), (0, 5)
        )
    }
    assert met == set(CATALOGUE)


def test_a_top_up_says_that_something_is_there(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    payer = Payer.of(intent)
    payer.quote(world)
    message = payer.state()["message"]
    assert message["code"].startswith("quoted")
    assert "merchant" in message["money"]
