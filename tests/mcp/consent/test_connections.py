"""The life of a connection after consent: changed by people, ended for good with everything issued under it."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from core.money import usd
from mcp.errors import ApprovalRequired
from mcp.models import AccessToken, AgentConnection, AgentRecord, ApprovalRequest, AuditAction, Grant, RefreshToken
from mcp.oauth.access import believed_access_token
from mcp.services.connections import (
    Limits,
    change_limits,
    limits_of,
    pause_connection,
    rename_connection,
    resume_connection,
    revoke_connection,
)
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.each import faults
from tests.mcp.charter.stories import ask_payout, connected, pay_out
from tests.mcp.oauth.flow import Agent, new_application, new_connection


def records() -> list[tuple[str, str, dict[str, object]]]:
    return list(AgentRecord.objects.order_by("pk").values_list("action", "actor", "arguments"))


def left_of(connection: AgentConnection) -> tuple[int, int, int]:
    """How many codes, access tokens and living refresh tokens a connection has."""
    rows = (Grant.objects, AccessToken.objects, RefreshToken.objects.filter(revoked=None))
    codes, tokens, living = (kind.filter(connection=connection).count() for kind in rows)
    return codes, tokens, living


def test_revoking_ends_everything_that_was_issued(agent: Agent, account: NewMerchant) -> None:
    answer = agent.signed_in()
    unused = agent.consent()
    assert believed_access_token(answer["access_token"]) is not None
    application = new_application()
    other = Agent(application, new_connection(account, application))
    kept = other.signed_in()
    ended = revoke_connection(agent.connection, actor="user:1")
    assert ended.revoked_at is not None
    assert believed_access_token(answer["access_token"]) is None
    assert left_of(agent.connection) == (0, 0, 0)
    assert agent.refresh(answer["refresh_token"]).body["error"] == "invalid_grant"
    assert agent.exchange(unused).body["error"] == "invalid_grant"
    assert left_of(agent.connection) == (0, 0, 0)
    again = revoke_connection(agent.connection, actor="user:2")
    assert again.revoked_at == ended.revoked_at
    assert records() == [(AuditAction.REVOCATION, "user:1", {})]
    # Revoking leaves other connections alone.
    assert believed_access_token(kept["access_token"]) is not None
    assert other.refresh(kept["refresh_token"]).status == 200


def test_pausing_limiting_and_renaming_are_written_down(agent: Agent) -> None:
    limits = Limits(per_call_usd=usd("5"), per_day_usd=usd("50"), approval_above_usd=usd("2.5"))
    assert pause_connection(agent.connection, actor="user:1").paused_at is not None
    assert resume_connection(agent.connection, actor="user:1").paused_at is None
    assert limits_of(change_limits(agent.connection, limits, actor="user:1")) == limits
    assert rename_connection(agent.connection, "Till helper", actor="user:1").name == "Till helper"
    stored = AgentConnection.objects.get()
    assert (stored.per_call_usd, stored.name, stored.paused_at) == (Decimal(5), "Till helper", None)
    assert records() == [
        (AuditAction.CHANGE, "user:1", {"paused": True}),
        (AuditAction.CHANGE, "user:1", {"paused": False}),
        (AuditAction.CHANGE, "user:1", {"per_call_usd": "5.00", "per_day_usd": "50.00", "approval_above_usd": "2.50"}),
        (AuditAction.CHANGE, "user:1", {"name": "Till helper"}),
    ]


LOWER = Limits(per_call_usd=usd("0.5"), per_day_usd=usd("10000"), approval_above_usd=None)
ENDS: dict[str, Callable[[AgentConnection], Any]] = {
    "agent_revoked": lambda connection: revoke_connection(connection, actor="user:1"),
    "agents_paused": lambda connection: pause_connection(connection, actor="user:1"),
    "agent_over_limit": lambda connection: change_limits(connection, LOWER, actor="user:1"),
}


def test_what_was_not_sent_yet_is_held(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal)
    payout = pay_out(connection, intent)

    def is_held(reason: str) -> None:
        ENDS[reason](AgentConnection.objects.get(pk=connection.pk))
        payout.refresh_from_db()
        assert (payout.status, payout.failure_reason) == ("paused", reason)

    assert faults(is_held, ENDS) == {}


def test_revoking_withdraws_what_waits_for_a_person(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal, approval_above_usd=usd("1"))
    with pytest.raises(ApprovalRequired):
        ask_payout(connection, intent)
    assert ApprovalRequest.objects.get().status == "pending"
    revoke_connection(connection, actor="user:1")
    assert ApprovalRequest.objects.get().status == "withdrawn"
