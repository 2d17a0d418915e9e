"""What a payment that is over no longer needs is forgotten: routes, and what the simulated chain shows of it."""

from datetime import timedelta
from typing import Any

from chains.models import SimulatedTransaction
from core.clock import now
from payments.models import Leg, RouteCandidate
from payments.services.upkeep import purge_routes, purge_simulated
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay, read
from tests.refunds.stories import PAYEE, refund, shown, work

DAY = 86_400


def routes(api: ApiClient, intent: dict[str, Any]) -> int:
    return len(api.get(f"/payment-intents/{intent['id']}/routing").body["data"])


def shows(intent: dict[str, Any]) -> bool:
    legs = Leg.objects.filter(intent=intent["id"]).values_list("pk", flat=True)
    return SimulatedTransaction.objects.filter(tag__in=map(str, legs)).exists()


def test_routes_go_thirty_days_after_the_end_of_their_payment(world: World, api: ApiClient) -> None:
    over, late, opened = create(api), create(api), create(api)
    for one in (over, late, opened):
        Payer.of(one).quote(world)
    pay(api, over)
    world.run(6)
    assert read(api, over)["status"] == "settled"
    RouteCandidate.objects.exclude(intent=over["id"]).update(created_at=now() - timedelta(days=40))
    weighed = [routes(api, one) for one in (over, late, opened)]
    assert min(weighed) > 1
    world.wait(30 * DAY - 10)
    assert purge_routes() == 0
    world.wait(10)
    assert purge_routes(at_once=1) == weighed[0]
    assert (routes(api, over), routes(api, late), routes(api, opened)) == (0, *weighed[1:])
    world.run(1)
    assert read(api, late)["status"] == "expired"
    assert purge_routes() == 0
    world.wait(30 * DAY + 1)
    assert purge_routes() == sum(weighed[1:])
    assert violations() == []


def test_the_simulated_chain_forgets_what_nobody_waits_for(world: World, api: ApiClient) -> None:
    """The books hold without it. What flies stays, and its payment goes on as if no time had passed."""
    paid = create(api)
    pay(api, paid)
    work(world)
    back = refund(api, paid, 5, destination=PAYEE)
    work(world, 8)
    assert shown(api, back)["status"] == "paid"
    world.wait(DAY)
    flying = create(api, expires_in_seconds=7200)
    pay(api, flying)
    world.run(0)
    unsent = refund(api, paid, 6, destination=PAYEE)
    work(world, 0)
    world.wait(30 * DAY + 60)
    assert purge_simulated(at_once=1) == 2
    assert (shows(paid), shows(flying)) == (False, True)
    assert SimulatedTransaction.objects.filter(tag=f"refund:{unsent['id']}").exists()
    work(world, 8)
    assert read(api, flying)["status"] == "settled"
    assert shown(api, unsent)["status"] == "paid"
    assert violations() == []
