"""A token beside a payment is never part of what its leg brought, and never worth anything.

Over nodes: tests/live/test_strays.py.
"""

from dataclasses import replace

import pytest

from chains.clients.base import BridgeReport, LegView, Mark, ObservedTransfer, TransferKind
from chains.clients.simulated import SimulatedChain
from core.clock import now
from core.money import BaseUnits, usd
from payments.models import Credit, Leg
from payments.services.follow import record_sightings
from payments.services.watch import Sighting
from tests.conftest import ApiClient
from tests.payments.world import World, create, events, pay, read
from tokens.models import Token

UNITS, LEFT_OVER = 25_000_000, 3 * 10**18


def _looked_at(leg: Leg, own: ObservedTransfer, *strays: ObservedTransfer) -> None:
    checked = frozenset({own.tx_hash})
    view = LegView(seen=None, transfers=(own,), refund=None, report=BridgeReport.DONE, others=strays, checked=checked)
    record_sightings(leg.intent_id, {leg.pk: Sighting(view=view, at=now())})


@pytest.mark.spec("Rulings C11.1")
def test_a_stray_is_no_part_of_what_a_leg_brought_and_stays_worth_nothing(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent)
    world.run(4)
    settled, leg = read(api, intent), Leg.objects.get()
    [own] = SimulatedChain().transfers(str(leg.pk))
    other = Token.objects.get(chain=own.chain, symbol="WETH").address
    named = replace(own, kind=TransferKind.LOG, position="+7", token_address=other, mark=Mark.STRAY)
    stray = replace(named, base_units=BaseUnits(LEFT_OVER))
    for _ in range(2):
        _looked_at(leg, own, stray)
    assert (settled["status"], read(api, intent)) == ("settled", settled)
    assert Leg.objects.get().output_base_units == UNITS
    assert list(Credit.objects.filter(mark="stray").values_list("base_units", "value_usd")) == [(LEFT_OVER, usd("0"))]
    Credit.objects.filter(mark="stray").update(finalized_at=None)
    _looked_at(leg, own, replace(stray, base_units=BaseUnits(2 * LEFT_OVER)))
    credit = Credit.objects.get(mark="stray")
    assert (credit.base_units, credit.value_usd, credit.purpose) == (2 * LEFT_OVER, usd("0"), "stray")
    assert (events(intent).count("stray_arrived"), Leg.objects.get().output_base_units) == (1, UNITS)


def test_a_coin_that_is_not_traced_again_goes_with_its_block_alone(world: World, api: ApiClient) -> None:
    pay(api, create(api))
    world.run(4)
    leg = Leg.objects.get()
    [own] = SimulatedChain().transfers(str(leg.pk))
    coin = Token.objects.get(chain=own.chain, is_native=True).address
    traced = replace(own, kind=TransferKind.TRACE, position="0.1", token_address=coin, mark=Mark.STRAY)
    _looked_at(leg, own, traced)
    stray = Credit.objects.get(mark="stray")
    for seen, is_gone in ((own, False), (replace(own, block_hash="0xother"), True)):
        _looked_at(leg, seen)
        stray.refresh_from_db()
        assert (stray.reversed_at, stray.vanished_at is not None) == (None, is_gone)


def test_a_coin_stands_with_its_block_though_the_payment_beside_it_counts_for_another(
    world: World, api: ApiClient
) -> None:
    pay(api, create(api))
    world.run(4)
    leg, other = Leg.objects.get(), create(api)
    [own] = SimulatedChain().transfers(str(leg.pk))
    coin = Token.objects.get(chain=own.chain, is_native=True).address
    _looked_at(leg, own, replace(own, kind=TransferKind.TRACE, position="0.1", token_address=coin, mark=Mark.STRAY))
    Credit.objects.exclude(mark="stray").update(intent_id=other["id"], leg=None, mark="event")
    for seen, is_gone in ((own, False), (replace(own, block_hash="0xother"), True)):
        _looked_at(leg, seen)
        assert Credit.objects.filter(mark="stray", vanished_at=None).exists() is not is_gone
    assert Credit.objects.exclude(mark="stray").filter(reversed_at=None, vanished_at=None).count() == 1
