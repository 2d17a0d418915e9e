"""Who lent a connection must still be able to: else it ends for good, with what it ordered and asked for."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from chains.models import Transfer
from core.modes import Mode
from core.money import usd
from mcp.errors import ApprovalRequired, ConnectionEnded
from mcp.models import AccessToken, AgentConnection, AgentRecord, ApprovalRequest
from mcp.services.approvals import approve
from mcp.services.connections import sweep_lenders
from merchants.models import Membership, Role, User
from merchants.principal import Principal
from merchants.services.team import change_role, hand_over, leave_team, remove_member
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.mcp.agents import issued_access_token
from tests.mcp.charter.stories import ask_refund, connected, made, owner_of, pay_out
from tests.mcp.charter.test_holds import addressed, work
from tests.payments.world import World
from tests.refunds.stories import settled


@dataclass(frozen=True, kw_only=True)
class Lent:
    """A connection that another person than the owner lent, a payout and a refund of it that wait, and a request."""

    owner: User
    lender: User
    membership: Membership
    connection: AgentConnection
    payout: Payout
    refund: Refund
    request: ApprovalRequest

    @property
    def principal(self) -> Principal:
        """The owner at the dashboard."""
        return Principal(merchant_id=self.membership.merchant_id, mode=Mode.TEST, actor=f"user:{self.owner.pk}")

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


@pytest.fixture
def lent(world: World, api: ApiClient, principal: Principal) -> Lent:
    """Somebody who may lend has done so; nothing of it was sent yet."""
    lender = User.objects.create_user("leaver@shop.example", password="correct horse battery")
    membership = Membership.objects.create(user=lender, merchant_id=principal.merchant_id, role=Role.ADMIN)
    connection = connected(principal, approval_above_usd=usd("100"))
    connection.user = lender
    connection.save(update_fields=["user"])
    issued_access_token(connection)
    intent, other = settled(world, api), settled(world, api)
    payout, refund = pay_out(connection, intent), addressed(principal, connection, other)
    AgentConnection.objects.filter(pk=connection.pk).update(approval_above_usd=usd("5"))
    with pytest.raises(ApprovalRequired):
        ask_refund(connection, other, "20", "big")
    return Lent(
        owner=owner_of(principal),
        lender=lender,
        membership=membership,
        connection=connection,
        payout=payout,
        refund=refund,
        request=ApprovalRequest.objects.get(),
    )


def removed(lent: Lent) -> None:
    """The owner takes the person out of the team."""
    remove_member(lent.principal, lent.owner, lent.membership.pk)


def left(lent: Lent) -> None:
    """The person goes."""
    leave_team(Principal(merchant_id=lent.membership.merchant_id, mode=Mode.TEST, actor="user:9"), lent.lender)


def demoted(lent: Lent) -> None:
    """The owner makes the person a developer, who moves no money."""
    change_role(lent.principal, lent.owner, lent.membership.pk, Role.DEVELOPER)


CHANGES = [(removed, "lender_left"), (left, "lender_left"), (demoted, "lender_role")]
each_change = pytest.mark.parametrize(("change", "because"), CHANGES, ids=["removed", "left", "demoted"])


@each_change
def test_what_was_lent_ends_with_the_right_to_lend_it(
    lent: Lent,
    world: World,
    change: Callable[[Lent], None],
    because: str,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        change(lent)
    lent.check_ended(because)
    work(world)
    lent.check_ended(because)
    line = AgentRecord.objects.filter(deed="revocation").get()
    assert (line.arguments, line.outcome) == ({"because": because}, "ok")


@each_change
def test_it_does_not_live_again_when_the_person_is_back(
    lent: Lent,
    world: World,
    change: Callable[[Lent], None],
    because: str,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        change(lent)
    Membership.objects.update_or_create(
        user=lent.lender, merchant_id=lent.membership.merchant_id, defaults={"role": Role.OWNER}
    )
    assert sweep_lenders() == 0
    work(world)
    lent.check_ended(because)
    with pytest.raises(ConnectionEnded):
        ask_refund(lent.connection, {"id": str(lent.refund.intent_id)}, "1", "again")


def gone(lent: Lent) -> None:
    """Nobody said a word: an operator's hand."""
    lent.membership.delete()


def fallen(lent: Lent) -> None:
    """The same for the role."""
    Membership.objects.filter(pk=lent.membership.pk).update(role=Role.VIEWER)


def inactive(lent: Lent) -> None:
    """An operator lets the person sign in no more."""
    User.objects.filter(pk=lent.lender.pk).update(is_active=False)


SILENT = [(gone, "lender_left"), (fallen, "lender_role"), (inactive, "lender_inactive")]


@pytest.mark.parametrize(("change", "because"), SILENT, ids=["gone", "fallen", "inactive"])
def test_what_nobody_told_is_refused_at_once_and_swept(
    lent: Lent,
    world: World,
    change: Callable[[Lent], None],
    because: str,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
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


@pytest.mark.parametrize("scopes", [["payment_intents:read"], ["payment_intents:read", "long_gone:scope"], []])
def test_what_the_new_role_may_lend_goes_on(lent: Lent, scopes: list[str]) -> None:
    AgentConnection.objects.filter(pk=lent.connection.pk).update(scopes=scopes)
    change_role(lent.principal, lent.owner, lent.membership.pk, Role.VIEWER)
    assert sweep_lenders() == 0
    lent.connection.refresh_from_db()
    assert lent.connection.revoked_at is None


def test_handing_over_ends_nothing(lent: Lent) -> None:
    AgentConnection.objects.filter(pk=lent.connection.pk).update(user=lent.owner)
    hand_over(lent.principal, lent.owner, lent.membership.pk)
    assert sweep_lenders() == 0
    lent.connection.refresh_from_db()
    assert lent.connection.revoked_at is None
