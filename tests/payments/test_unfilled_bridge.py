"""A bridge that can deliver no more: the payer reads where the money is, and may pay again."""

from chains.clients.base import BridgeReport, LegView
from payments.models import Leg
from payments.services.follow import record_sightings
from tests.conftest import ApiClient
from tests.payments.payer import Payer
from tests.payments.world import World, create, read


def test_an_order_that_nobody_can_fill_ends_the_try(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    payer.pay(payer.start(world, "ethereum", "USDC"))
    world.run(1)
    leg = Leg.objects.get(intent_id=intent["id"])
    void = LegView(seen=None, transfers=(), refund=None, report=BridgeReport.VOID)
    record_sightings(leg.intent_id, {leg.pk: void})
    ended = read(api, intent)
    assert (ended["status"], ended["last_error"]["code"]) == ("requires_payment", "bridge_unfilled")
    message = payer.state()["message"]
    assert message["code"] == "bridge_unfilled"
    assert message["money"].startswith("The bridge has it, and returns it to your wallet")
