"""A worker whose claim ran out, and whose payout another one has moved on, sends nothing and changes nothing."""

import pytest

from chains.models import Transfer
from chains.rails.base import Hindered, Hindrance
from chains.rails.simulated import SimulatedRail
from merchants.principal import Principal
from payouts.services.advance import LEASE, advance_payout, claim_due
from payouts.services.dispatch import begin
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.world import World
from tests.payouts.stories import asked, run, sent, settled, shown


def _refuse(_rail: SimulatedRail, _transfer: Transfer) -> None:
    raise Hindered(Hindrance("insufficient_funds"))


@pytest.mark.spec("States: payout; Payouts")
def test_an_overtaken_claim_sends_nothing(
    world: World, api: ApiClient, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one was hindered and planned the next attempt: until then nobody may send it, hindered or not."""
    payout = asked(principal, settled(world, api))
    [overtaken] = claim_due()
    world.wait(LEASE.total_seconds())
    monkeypatch.setattr(SimulatedRail, "_preflight", _refuse)
    run(world, 0)
    monkeypatch.undo()
    assert (shown(api, payout)["status"], shown(api, payout)["attempts"]) == ("retry_scheduled", 1)
    before = all_rows()
    assert begin(overtaken) is None
    advance_payout(overtaken)
    assert all_rows() == before
    run(world, 60)
    assert (shown(api, payout)["status"], shown(api, payout)["attempts"], len(sent(payout))) == ("paid", 2, 1)
