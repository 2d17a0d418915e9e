"""Two workers that looked at the same leg: the slower one must change nothing that the faster one wrote."""

from uuid import UUID

from chains.clients.registry import client_for
from payments.models import PaymentIntent
from payments.services.follow import record_sightings
from payments.services.watch import look_at_legs
from tests.conftest import ApiClient
from tests.payments.world import World, create, read


def test_a_sighting_that_comes_after_the_end_changes_nothing(api: ApiClient, world: World) -> None:
    intent = create(api)
    api.post(f"/test-helpers/payment-intents/{intent['id']}/pay")
    world.run(1)
    row = PaymentIntent.objects.get(pk=intent["id"])
    world.wait(0.5)
    outdated = look_at_legs(row, client_for(row.mode))
    assert outdated
    world.run(6)
    settled = read(api, intent)
    assert settled["status"] == "settled"
    record_sightings(UUID(intent["id"]), outdated)
    assert read(api, intent) == settled
