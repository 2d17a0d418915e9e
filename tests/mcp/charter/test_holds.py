"""What was let through and not sent yet is judged again: a revoked, paused or lowered agent's money stays."""

from collections.abc import Callable
from typing import Any

import pytest

from chains.models import SimulatedTransaction, Transfer
from core.clock import now
from core.money import usd
from mcp.models import AgentConnection, AgentPolicy
from mcp.services.charter import policy_of
from mcp.services.holds import hold_all_undispatched, hold_undispatched, objection_to_effect
from merchants.principal import Principal
from payouts.errors import PayoutNotCancellable
from payouts.models import Payout
from payouts.services import cancel_held_payout, replay_payout, resume_payout
from payouts.services import sweep_due as sweep_payouts
from refunds.errors import RefundNotHeld
from refunds.models import Refund, RefundPolicy
from refunds.services.advance import sweep_due as sweep_refunds
from refunds.services.cancel import cancel_refund
from refunds.services.destination import set_destination
from refunds.services.holds import release_refund
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.mcp.charter.stories import connected, pay_out, refund
from tests.payments.world import World
from tests.refunds.stories import PAYEE, settled

ACTOR = "user:1"
Change = Callable[[AgentConnection], object]


def revoke(connection: AgentConnection) -> None:
    """As the dashboard does, without the rest of it."""
    AgentConnection.objects.filter(pk=connection.pk).update(revoked_at=now())


def pause(connection: AgentConnection) -> None:
    """Stop one connection."""
    AgentConnection.objects.filter(pk=connection.pk).update(paused_at=now())


def pause_all(connection: AgentConnection) -> None:
    """Stop all agents."""
    AgentPolicy.objects.filter(pk=policy_of(connection).pk).update(paused_at=now())


def lower(connection: AgentConnection) -> None:
    """Allow less at once than was sent."""
    AgentConnection.objects.filter(pk=connection.pk).update(per_call_usd=usd("0.5"))


def lower_day(connection: AgentConnection) -> None:
    """Allow less a day than was sent."""
    AgentConnection.objects.filter(pk=connection.pk).update(per_day_usd=usd("0.5"))


CHANGES = [
    (revoke, "agent_revoked"),
    (pause, "agents_paused"),
    (pause_all, "agents_paused"),
    (lower, "agent_over_limit"),
    (lower_day, "agent_over_limit"),
]
each_change = pytest.mark.parametrize(
    ("change", "reason"), CHANGES, ids=["revoke", "pause", "pause_all", "lower", "lower_day"]
)


@pytest.fixture
def intent(world: World, api: ApiClient) -> dict[str, Any]:
    """A settled intent over 25 dollars."""
    return settled(world, api)


@pytest.fixture
def connection(principal: Principal) -> AgentConnection:
    """A connection that may do all of this."""
    return connected(principal)


def addressed(principal: Principal, connection: AgentConnection, intent: dict[str, Any]) -> Refund:
    """A refund by the agent whose destination the merchant named."""
    return set_destination(principal, refund(connection, intent, "1"), PAYEE)


def work(world: World, seconds: int = 180) -> None:
    """Let workers come round."""
    for _ in range(seconds // 30):
        sweep_payouts()
        sweep_refunds()
        world.wait(30)
    sweep_payouts()
    sweep_refunds()


@pytest.mark.spec("Rulings D8.2")
@each_change
def test_what_a_worker_takes_up_is_asked_about(
    world: World,
    principal: Principal,
    connection: AgentConnection,
    intent: dict[str, Any],
    change: Change,
    reason: str,
) -> None:
    """Nobody said that anything is held: the worker asks by itself."""
    back, payout = addressed(principal, connection, intent), pay_out(connection, intent)
    change(connection)
    work(world)
    back.refresh_from_db()
    payout.refresh_from_db()
    assert (back.status, back.failure_reason, back.attempts) == ("queued", reason, 0)
    assert (payout.status, payout.failure_reason, payout.attempts) == ("paused", reason, 0)
    assert (Transfer.objects.count(), SimulatedTransaction.objects.filter(tag__startswith="payout").count()) == (0, 0)
    assert violations() == []


@pytest.mark.spec("Rulings D8.2")
@each_change
def test_what_nobody_has_sent_is_held_at_once(
    world: World,
    principal: Principal,
    connection: AgentConnection,
    intent: dict[str, Any],
    change: Change,
    reason: str,
) -> None:
    back, payout = addressed(principal, connection, intent), pay_out(connection, intent)
    assert hold_undispatched(connection, actor=ACTOR) == 0
    change(connection)
    assert hold_undispatched(connection, actor=ACTOR) == 2
    assert set(Payout.objects.values_list("status", "failure_reason")) == {("paused", reason)}
    assert set(Refund.objects.values_list("status", "failure_reason")) == {("queued", reason)}
    assert payout.history.filter(trigger="pause").values_list("actor", "reason").get() == (ACTOR, reason)
    work(world)
    assert Transfer.objects.count() == 0
    assert {back.pk, payout.pk} == {Refund.objects.get().pk, Payout.objects.get().pk}
    assert violations() == []


def test_what_was_sent_goes_on(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    addressed(principal, connection, intent)
    pay_out(connection, intent)
    sweep_refunds()
    sweep_payouts()
    assert set(Transfer.objects.values_list("status", flat=True)) & {"new"} == set()
    revoke(connection)
    assert hold_undispatched(connection, actor=ACTOR) == 0
    work(world)
    assert (Refund.objects.get().status, Payout.objects.get().status) == ("paid", "paid")


def test_what_another_connection_or_the_merchant_made_goes_on(
    world: World, api: ApiClient, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    refund(connection, intent, "1")
    other = connected(principal)
    pay_out(other, settled(world, api))
    revoke(connection)
    assert hold_undispatched(connection, actor=ACTOR) == 0
    AgentPolicy.objects.update(paused_at=now())
    assert hold_all_undispatched(policy_of(connection), actor=ACTOR) == 1


@pytest.mark.parametrize("change", [pause, pause_all, lower, lower_day])
def test_what_was_held_goes_on_when_that_is_over(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any], change: Change
) -> None:
    addressed(principal, connection, intent)
    pay_out(connection, intent)
    change(connection)
    work(world)
    AgentConnection.objects.update(paused_at=None, per_call_usd=usd("1000"), per_day_usd=usd("1000"))
    AgentPolicy.objects.update(paused_at=None)
    work(world)
    assert (Refund.objects.get().status, Payout.objects.get().status) == ("paid", "paid")
    assert (Refund.objects.get().failure_reason, Payout.objects.get().failure_reason) == ("", "")
    assert (Refund.objects.get().attempts, Payout.objects.get().attempts) == (1, 1)


def test_a_person_releases_what_a_revoked_agent_made(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    back, payout = addressed(principal, connection, intent), pay_out(connection, intent)
    revoke(connection)
    hold_undispatched(connection, actor=ACTOR)
    assert release_refund(principal, back).released_by == principal.actor
    assert resume_payout(principal, payout.pk).released_by == principal.actor
    work(world)
    assert (Refund.objects.get().status, Payout.objects.get().status) == ("paid", "paid")
    with pytest.raises(RefundNotHeld):
        release_refund(principal, back)
    assert violations() == []


def test_a_person_ends_what_a_revoked_agent_made(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    back, payout = addressed(principal, connection, intent), pay_out(connection, intent)
    revoke(connection)
    hold_undispatched(connection, actor=ACTOR)
    assert cancel_refund(principal, back).status == "cancelled"
    ended = cancel_held_payout(principal, payout.pk)
    assert (ended.status, ended.failure_reason) == ("failed", "cancelled")
    work(world)
    assert Transfer.objects.count() == 0
    assert violations() == []
    replay_payout(principal, payout.pk)
    work(world)
    assert Payout.objects.get().status == "paid"


def test_only_what_is_held_is_ended(principal: Principal, connection: AgentConnection, intent: dict[str, Any]) -> None:
    refund = addressed(principal, connection, intent)
    payout = pay_out(connection, intent)
    with pytest.raises(PayoutNotCancellable):
        cancel_held_payout(principal, payout.pk)
    with pytest.raises(RefundNotHeld):
        release_refund(principal, refund)


@pytest.mark.parametrize("scenario", ["payout_retry", "refund_retry"])
def test_what_waits_for_its_next_attempt_is_held(
    world: World, api: ApiClient, principal: Principal, connection: AgentConnection, scenario: str
) -> None:
    intent = settled(world, api, metadata={"simulate": scenario})
    if scenario == "payout_retry":
        pay_out(connection, intent)
    else:
        addressed(principal, connection, intent)
    sweep_payouts()
    sweep_refunds()
    revoke(connection)
    assert hold_undispatched(connection, actor=ACTOR) == 1
    work(world, 600)
    waiting = [model.objects.values_list("status", "failure_reason") for model in (Payout, Refund)]
    assert [row for rows in waiting for row in rows] == [
        ("paused" if scenario == "payout_retry" else "retry_scheduled", "agent_revoked")
    ]
    assert not SimulatedTransaction.objects.filter(tag__regex="^(payout|refund):").exists()
    assert violations() == []


def test_a_refund_by_policy_is_held_too(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    """A refund that waits for its destination is nobody's to send; the answer counts when it has one."""
    RefundPolicy.objects.create(merchant_id=principal.merchant_id, mode=principal.mode, to_paying_wallet=True)
    waiting = refund(connection, intent, "1")
    revoke(connection)
    assert hold_undispatched(connection, actor=ACTOR) == (0 if waiting.status == "waiting" else 1)
    if waiting.status == "waiting":
        set_destination(principal, waiting, PAYEE)
    work(world)
    assert Refund.objects.get().failure_reason == "agent_revoked"


def test_only_the_effects_before_it_count_against_what_was_let_through(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    first, second = refund(connection, intent, "4"), refund(connection, intent, "6")
    AgentConnection.objects.update(per_day_usd=usd("5"))
    assert objection_to_effect(first.pk) is None
    assert objection_to_effect(second.pk) is not None
    AgentConnection.objects.update(per_day_usd=usd("10"), expires_at=now())
    assert objection_to_effect(second.pk) is None


def test_what_lost_its_connection_is_held(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    pay_out(connection, intent)
    AgentConnection.objects.all().delete()
    work(world)
    assert (Payout.objects.get().status, Payout.objects.get().failure_reason) == ("paused", "agent_revoked")
