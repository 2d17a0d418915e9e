"""What people read of the platform's fee: on the payment, before a refund, on the receipt."""

import pytest
from django.test import Client

from core.money import usd
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.merchants.people import text_of
from tests.payments.world import World
from tests.refunds.stories import settled

FEE = "0.254564"


@pytest.mark.parametrize("fee", [FEE, "0"])
def test_a_fee_is_told_where_there_is_one(fee: str, world: World, api: ApiClient, owner: Client) -> None:
    intent = settled(world, api)
    PaymentIntent.objects.filter(pk=intent["id"]).update(platform_fee_usd=usd(fee))
    payment = text_of(owner.get(f"/dashboard/test/payments/{intent['id']}/"))
    wish = text_of(owner.get(f"/dashboard/test/payments/{intent['id']}/refund/"))
    receipt = Client().get(f"/checkout/{intent['id']}/receipt").content.decode()
    told = fee == FEE
    assert (
        'data-testid="platform-fee">$0.254564 <span class="quiet">on top: the payer paid $25.254564' in payment
    ) == told
    assert ("A refund sends back what arrived, not the fee." in wish) == told
    assert ("<bdi>$0.25</bdi>, paid on top of that. A refund does not send it back." in receipt) == told
    assert "$25.00" in wish
