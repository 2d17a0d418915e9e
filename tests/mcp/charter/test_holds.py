"""What was let through and not sent yet is judged again, and ends with the right to lend: such money stays."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from chains.models import SimulatedTransaction, Transfer
from core.clock import now
from core.money import usd
from mcp.errors import ApprovalRequired, ConnectionEnded
from mcp.models import AccessToken, AgentConnection, AgentPolicy, AgentRecord, ApprovalRequest
from mcp.services.approvals import approve
from mcp.services.charter import policy_of
from mcp.services.connections import sweep_lenders
from mcp.services.holds import hold_all_undispatched, hold_undispatched, objection_to_effect
from merchants.models import Membership, Role, User
from merchants.principal import Principal
from merchants.services.team import change_role, hand_over, leave_team, remove_member
from payouts.errors import PayoutNotCancellable
from payouts.models import Payout
from payouts.services import cancel_held_payout, replay_payout, resume_payout
from payouts.services import sweep_due as sweep_payouts
from refunds.errors import RefundNotHeld
from refunds.models import Refund
from refunds.services.advance import sweep_due as sweep_refunds
from refunds.services.cancel import cancel_refund
from refunds.services.destination import set_destination
from refunds.services.holds import release_refund
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.mcp.agents import issued_access_token
from tests.mcp.charter.stories import ask_refund, connected, made, owner_of, pay_out, refund
from tests.payments.world import START, World
from tests.refunds.stories import PAYEE, settled
from tests.told import told_once

ACTOR = "user:1"


def revoke(connection: AgentConnection) -> None:
    AgentConnection.objects.filter(pk=connection.pk).update(revoked_at=now())


CHANGES: dict[str, tuple[type[Any], dict[str, Any], str]] = {
    "revoke": (AgentConnection, {"revoked_at": START}, "agent_revoked"),
    "pause": (AgentConnection, {"paused_at": START}, "agents_paused"),
    "pause all": (AgentPolicy, {"paused_at": START}, "agents_paused"),
    "a call": (AgentConnection, {"per_call_usd": usd("0.5")}, "agent_over_limit"),
    "a day": (AgentConnection, {"per_day_usd": usd("0.5")}, "agent_over_limit"),
}


@pytest.fixture
def connection(principal: Principal) -> AgentConnection:
    return connected(principal)


def addressed(principal: Principal, connection: AgentConnection, intent: dict[str, Any]) -> Refund:
    """A refund by the agent whose destination the merchant named."""
    return set_destination(principal, refund(connection, intent, "1"), PAYEE)


@pytest.fixture
def ordered(principal: Principal, connection: AgentConnection, intent: dict[str, Any]) -> tuple[Refund, Payout]:
    """What the agent asked for and nobody has sent yet."""
    return addressed(principal, connection, intent), pay_out(connection, intent)


def work(world: World, seconds: int = 180) -> None:
    for _ in range(seconds // 30):
        sweep_payouts()
        sweep_refunds()
        world.wait(30)
    sweep_payouts()
    sweep_refunds()


@pytest.mark.spec("Rulings D8.2")
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "by the worker"])
@pytest.mark.parametrize("case", CHANGES)
def test_what_nobody_has_sent_is_held_and_goes_on_when_that_is_over(
    world: World, connection: AgentConnection, ordered: tuple[Refund, Payout], case: str, at_once: bool
) -> None:
    """Where nobody said that anything is held, the worker asks by itself."""
    table, columns, reason = CHANGES[case]
    back, payout = ordered
    assert hold_undispatched(connection, actor=ACTOR) == 0
    policy_of(connection)
    assert table._default_manager.update(**columns) == 1
    if at_once:
        assert hold_undispatched(connection, actor=ACTOR) == 2
        assert payout.history.filter(trigger="pause").values_list("actor", "reason").get() == (ACTOR, reason)
        assert set(Payout.objects.values_list("status", "failure_reason")) == {("paused", reason)}
        assert set(Refund.objects.values_list("status", "failure_reason")) == {("queued", reason)}
    work(world)
    back.refresh_from_db()
    payout.refresh_from_db()
    assert (back.status, back.failure_reason, back.attempts) == ("queued", reason, 0)
    assert (payout.status, payout.failure_reason, payout.attempts) == ("paused", reason, 0)
    assert (Transfer.objects.count(), SimulatedTransaction.objects.filter(tag__startswith="payout").count()) == (0, 0)
    assert violations() == []
    if case != "revoke" and not at_once:
        AgentConnection.objects.update(paused_at=None, per_call_usd=usd("1000"), per_day_usd=usd("1000"))
        AgentPolicy.objects.update(paused_at=None)
        work(world)
        assert set(Refund.objects.values_list("status", "failure_reason", "attempts")) == {("paid", "", 1)}
        assert set(Payout.objects.values_list("status", "failure_reason", "attempts")) == {("paid", "", 1)}


@pytest.mark.usefixtures("ordered")
def test_what_was_sent_goes_on(world: World, connection: AgentConnection) -> None:
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


def test_a_person_releases_or_ends_what_a_revoked_agent_made(
    world: World, principal: Principal, connection: AgentConnection, ordered: tuple[Refund, Payout]
) -> None:
    back, payout = ordered
    with pytest.raises(PayoutNotCancellable):
        cancel_held_payout(principal, payout.pk)
    with pytest.raises(RefundNotHeld):
        release_refund(principal, back)
    revoke(connection)
    hold_undispatched(connection, actor=ACTOR)
    ended = cancel_held_payout(principal, payout.pk)
    assert (ended.status, ended.failure_reason) == ("failed", "cancelled")
    work(world)
    assert Transfer.objects.count() == 0
    assert violations() == []
    replay_payout(replace(principal, actor=ACTOR), payout.pk)
    assert release_refund(principal, back).released_by == principal.actor
    work(world)
    assert (Refund.objects.get().status, Payout.objects.get().status) == ("paid", "paid")
    with pytest.raises(RefundNotHeld):
        release_refund(principal, back)
    assert violations() == []


def test_a_person_lets_a_payout_go_and_ends_a_refund(
    world: World, principal: Principal, connection: AgentConnection, ordered: tuple[Refund, Payout]
) -> None:
    back, payout = ordered
    revoke(connection)
    hold_undispatched(connection, actor=ACTOR)
    assert cancel_refund(principal, back).status == "cancelled"
    assert resume_payout(principal, payout.pk).released_by == principal.actor
    work(world)
    assert (Refund.objects.get().status, Payout.objects.get().status) == ("cancelled", "paid")
    assert violations() == []


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
    waiting = "paused" if scenario == "payout_retry" else "retry_scheduled"
    table = Payout if scenario == "payout_retry" else Refund
    assert list(table._default_manager.values_list("status", "failure_reason")) == [(waiting, "agent_revoked")]
    assert not SimulatedTransaction.objects.filter(tag__regex="^(payout|refund):").exists()
    assert violations() == []


def test_only_the_effects_before_it_count_against_what_was_let_through(
    world: World, principal: Principal, connection: AgentConnection, intent: dict[str, Any]
) -> None:
    first, second = refund(connection, intent, "4"), refund(connection, intent, "6")
    AgentConnection.objects.update(per_day_usd=usd("5"))
    assert objection_to_effect(first.pk) is None
    assert objection_to_effect(second.pk) is not None
    AgentConnection.objects.update(per_day_usd=usd("10"), expires_at=now())
    assert objection_to_effect(second.pk) is None
    # What lost its connection is held.
    AgentConnection.objects.update(per_day_usd=usd("1000"), expires_at=None)
    pay_out(connection, intent)
    AgentConnection.objects.all().delete()
    work(world)
    assert (Payout.objects.get().status, Payout.objects.get().failure_reason) == ("paused", "agent_revoked")


@dataclass(frozen=True, kw_only=True)
class Lent:
    """A connection that another person than the owner lent, a payout and a refund of it that wait, and a request."""

    principal: Principal
    owner: User
    lender: User
    membership: Membership
    connection: AgentConnection
    payout: Payout
    refund: Refund
    request: ApprovalRequest

    def becomes(self, role: Role) -> None:
        change_role(self.principal, self.owner, self.membership.pk, role)

    def check_ended(self, because: str) -> None:
        """It is revoked, and nothing of it was sent or can be allowed."""
        for row in (self.connection, self.payout, self.refund, self.request):
            row.refresh_from_db()
        assert (self.connection.revoked_at is not None, self.connection.revoked_because) == (True, because)
        assert (self.payout.status, self.payout.failure_reason) == ("paused", "agent_revoked")
        assert (self.refund.status, self.refund.failure_reason) == ("queued", "agent_revoked")
        assert self.request.status == "withdrawn"
        assert not AccessToken.objects.filter(connection=self.connection).exists()
        assert Transfer.objects.count() == 0
        assert violations() == []


@told_once
def lent_by_another(world: World, api: ApiClient, /, principal: Principal) -> dict[str, Any]:
    """Somebody who may lend has done so; nothing of it was sent yet."""
    lender = User.objects.create_user("leaver@shop.example", password="correct horse battery")
    membership = Membership.objects.create(user=lender, merchant_id=principal.merchant_id, role=Role.ADMIN)
    connection = connected(principal, user=lender, approval_above_usd=usd("100"))
    issued_access_token(connection)
    intent, other = settled(world, api), settled(world, api)
    waiting = {"payout": pay_out(connection, intent), "refund": addressed(principal, connection, other)}
    AgentConnection.objects.filter(pk=connection.pk).update(approval_above_usd=usd("5"))
    with pytest.raises(ApprovalRequired):
        ask_refund(connection, other, "20", "big")
    people = {"principal": principal, "owner": owner_of(principal), "lender": lender, "membership": membership}
    return {**people, "connection": connection, **waiting, "request": ApprovalRequest.objects.get()}


@pytest.fixture
def lent(world: World, api: ApiClient, principal: Principal) -> Lent:
    return Lent(**lent_by_another(world, api, principal))


Ending = tuple[Callable[[Lent], object], str]
ENDINGS: dict[str, Ending] = {
    "removed": (lambda lent: remove_member(lent.principal, lent.owner, lent.membership.pk), "lender_left"),
    "left": (lambda lent: leave_team(lent.principal, lent.lender), "lender_left"),
    "demoted": (lambda lent: lent.becomes(Role.DEVELOPER), "lender_role"),
}
UNTOLD: dict[str, Ending] = {
    "gone": (lambda lent: lent.membership.delete(), "lender_left"),
    "fallen": (lambda lent: Membership.objects.filter(pk=lent.membership.pk).update(role=Role.VIEWER), "lender_role"),
    "inactive": (lambda lent: User.objects.filter(pk=lent.lender.pk).update(is_active=False), "lender_inactive"),
}
"""By an operator's hand: nobody said a word."""


@pytest.mark.parametrize("case", ENDINGS)
def test_what_was_lent_ends_with_the_right_to_lend_it(
    lent: Lent, world: World, case: str, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    change, because = ENDINGS[case]
    with django_capture_on_commit_callbacks(execute=True):
        change(lent)
    lent.check_ended(because)
    work(world)
    lent.check_ended(because)
    line = AgentRecord.objects.filter(action="revocation").get()
    assert (line.arguments, line.outcome) == ({"because": because}, "ok")
    # It does not live again when the person is back.
    Membership.objects.update_or_create(
        user=lent.lender, merchant_id=lent.membership.merchant_id, defaults={"role": Role.OWNER}
    )
    assert sweep_lenders() == 0
    work(world)
    lent.check_ended(because)
    with pytest.raises(ConnectionEnded):
        ask_refund(lent.connection, {"id": str(lent.refund.intent_id)}, "1", "again")


@pytest.mark.parametrize("case", UNTOLD)
def test_what_nobody_told_is_refused_at_once_and_swept(
    lent: Lent, world: World, case: str, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    change, because = UNTOLD[case]
    change(lent)
    before = made()
    with pytest.raises(ConnectionEnded):
        ask_refund(lent.connection, {"id": str(lent.refund.intent_id)}, "1", "another")
    with pytest.raises(ConnectionEnded):
        approve(lent.principal, lent.owner, lent.request.pk)
    assert made() == before
    work(world)
    lent.refund.refresh_from_db()
    assert (lent.refund.status, lent.refund.failure_reason) == ("queued", "agent_revoked")
    with django_capture_on_commit_callbacks(execute=True):
        assert (sweep_lenders(), sweep_lenders()) == (1, 0)
    lent.check_ended(because)


def test_what_the_new_role_may_lend_goes_on_and_handing_over_ends_nothing(lent: Lent) -> None:
    for scopes in (["payment_intents:read"], ["payment_intents:read", "long_gone:scope"], []):
        AgentConnection.objects.filter(pk=lent.connection.pk).update(scopes=scopes)
        lent.becomes(Role.VIEWER)
        assert sweep_lenders() == 0, scopes
    AgentConnection.objects.filter(pk=lent.connection.pk).update(user=lent.owner)
    lent.becomes(Role.ADMIN)
    hand_over(lent.principal, lent.owner, lent.membership.pk)
    assert sweep_lenders() == 0
    lent.connection.refresh_from_db()
    assert lent.connection.revoked_at is None
