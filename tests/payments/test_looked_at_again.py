"""What is seen twice, late or by two workers: it counts once, and its own block says when it came."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from django.db import transaction

from chains.clients.base import BridgeReport, LegView
from chains.clients.registry import client_for
from chains.clients.simulated import SimulatedChain
from core.clock import now
from payments.models import Credit, Leg, PaymentIntent
from payments.services.advance import sweep_due
from payments.services.credits import Known, record_transfers
from payments.services.expire import end_what_is_over
from payments.services.follow import record_sightings
from payments.services.outcome import conclude
from payments.services.standing import standings, watched
from payments.services.transition import locked_intent
from payments.services.underway import underway
from payments.services.watch import Sighting, look_at_legs
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.invariants import violations
from tests.payments.payer import Payer
from tests.payments.world import World, create, pay, read

WALLET = "0x7e57000000000000000000000000000000000002"


@pytest.fixture(autouse=True)
def _nothing_impossible(db: None) -> Iterator[None]:
    yield
    assert violations() == []


@pytest.mark.spec("Credits are observed from every status")
def test_a_final_credit_in_a_newer_block_counts_once(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent)
    world.run(4)
    shown, before = read(api, intent), Credit.objects.get()
    assert (shown["status"], before.final_at is None) == ("settled", False)
    leg = Leg.objects.get()
    [seen] = SimulatedChain().transfers(str(leg.pk))
    moved = replace(seen, block_number=seen.block_number + 3, block_hash="0x" + "ab" * 32)
    for _ in range(2):
        with transaction.atomic():
            row = locked_intent(UUID(intent["id"]))
            record_transfers(row, leg, [moved], Known())
            conclude(row, underway(row))
    after = Credit.objects.get()
    assert (after.block_number, after.block_hash) == (moved.block_number, moved.block_hash)
    assert (after.base_units, after.value_usd) == (before.base_units, before.value_usd)
    assert after.base_units == 25_000_000
    assert (after.final_at, after.late, after.payer) == (before.final_at, before.late, before.payer)
    assert read(api, intent) == shown


@pytest.mark.spec("Late money: stays, late_payment")
@pytest.mark.parametrize(("early", "late"), [(20, False), (-1, True)])
def test_the_block_says_what_is_late_though_nobody_expired_it_yet(
    early: int, late: bool, world: World, api: ApiClient
) -> None:
    """No worker came round between the end and the look: what is late is late, what was in time was in time."""
    intent = create(api)
    world.wait((PaymentIntent.objects.get().expires_at - now()).total_seconds() - 60)
    payer = Payer.of(intent, address=WALLET)
    attempt = payer.start(world)
    world.wait(60 - early)
    payer.sign(attempt, 1)
    world.wait(30)
    assert PaymentIntent.objects.get().status == "awaiting_signature"
    sweep_due()
    row, credit = PaymentIntent.objects.get(), Credit.objects.get()
    assert credit.block_time > row.expires_at if late else credit.block_time < row.expires_at
    assert (credit.late, credit.base_units) == (late, 25_000_000)
    assert read(api, intent)["amount_received"] == "25.00"


def test_an_intent_with_money_in_flight_does_not_expire(world: World, api: ApiClient) -> None:
    """Proven at its function: an intent whose leg was seen is ``executing`` as a rule, and that never expires."""
    intent = create(api)
    payer = Payer.of(intent)
    payer.start(world)
    Leg.objects.update(status="submitted")
    world.wait(2 * 3600)
    before = all_rows()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("payments.services.expire.write_next_look", lambda *_: None)
        patch.setattr("payments.services.expire._lapsing_now", lambda *_: [])
        end_what_is_over(UUID(intent["id"]))
        assert all_rows() == before
        Leg.objects.update(status="failed")
        end_what_is_over(UUID(intent["id"]))
    assert read(api, intent)["status"] == "expired"


def test_a_sighting_that_comes_after_the_end_changes_nothing(api: ApiClient, world: World) -> None:
    intent = create(api)
    pay(api, intent)
    world.run(1)
    row = PaymentIntent.objects.get(pk=intent["id"])
    world.wait(0.5)
    outdated = look_at_legs(row, watched(standings(row), {}), client_for(row.mode), {})
    assert outdated
    world.run(6)
    settled = read(api, intent)
    assert settled["status"] == "settled"
    record_sightings(UUID(intent["id"]), outdated)
    assert read(api, intent) == settled


def test_an_order_that_nobody_can_fill_ends_the_try(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    payer.pay(payer.start(world, "ethereum", "USDC"))
    world.run(1)
    leg = Leg.objects.get()
    void = LegView(seen=None, transfers=(), refund=None, report=BridgeReport.VOID)
    record_sightings(leg.intent_id, {leg.pk: Sighting(view=void, at=now())})
    ended = read(api, intent)
    assert (ended["status"], ended["last_error"]["code"]) == ("requires_payment", "bridge_unfilled")
    message = payer.state()["message"]
    assert message["code"] == "bridge_unfilled"
    assert message["money"].startswith("The bridge has it, and returns it to your wallet")
