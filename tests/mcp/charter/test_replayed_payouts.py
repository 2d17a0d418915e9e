"""A payout of an agent that was stopped: a key has it tried again, and only a person lets it go."""

from dataclasses import replace
from typing import Any

from chains.models import SimulatedTransaction
from core.clock import now
from mcp.models import AgentConnection
from mcp.services.holds import hold_undispatched
from merchants.principal import Principal
from payouts.services import cancel_held_payout, replay_payout
from payouts.services import sweep_due as sweep_payouts
from tests.conftest import ApiClient
from tests.mcp.charter.stories import connected, pay_out
from tests.payments.world import World


def work(world: World) -> None:
    """Let workers come round."""
    for _ in range(3):
        sweep_payouts()
        world.wait(30)


def test_a_key_does_not_release_what_a_stopped_agent_made(
    world: World, api: ApiClient, principal: Principal, intent: dict[str, Any]
) -> None:
    connection, person = connected(principal), replace(principal, actor="user:1")
    payout = pay_out(connection, intent)
    AgentConnection.objects.update(revoked_at=now())
    hold_undispatched(connection, actor=person.actor)
    cancel_held_payout(person, payout.pk)
    assert api.post(f"/payouts/{payout.pk}/replay").status == 200
    work(world)
    payout.refresh_from_db()
    assert (payout.status, payout.failure_reason, payout.released_by) == ("paused", "agent_revoked", "")
    assert not SimulatedTransaction.objects.filter(tag__startswith="payout").exists()
    cancel_held_payout(person, payout.pk)
    replay_payout(person, payout.pk)
    work(world)
    payout.refresh_from_db()
    assert (payout.status, payout.released_by) == ("paid", "user:1")
