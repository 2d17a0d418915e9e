"""A connection as the dashboard shows it, and who may change it."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404

from core.clock import now
from dashboard.agents.words import ENDED_BECAUSE, Client, Label, client_of, money_words, plain, scope_words
from dashboard.visit import Visit
from mcp.models import AgentConnection, AgentPolicy
from mcp.scopes import MONEY_SCOPES
from merchants.acts import Act


@dataclass(frozen=True, kw_only=True)
class ConnectionLine:
    """One connection as the dashboard shows it."""

    connection: AgentConnection
    name: str
    client: Client
    allowed_by: str
    scopes: list[str]
    moves_money: bool
    limits: list[tuple[str, str]]
    status: str
    tone: str
    is_over: bool
    ended_because: str


def connection_line(connection: AgentConnection, policy: AgentPolicy | None) -> ConnectionLine:
    """What is shown of a connection."""
    label, client = _status(connection, policy), client_of(connection)
    return ConnectionLine(
        connection=connection,
        name=plain(connection.name) or client.name,
        client=client,
        allowed_by=connection.user.email,
        scopes=scope_words(connection.scopes),
        moves_money=not MONEY_SCOPES.isdisjoint(connection.scopes),
        limits=limit_words(connection),
        status=label.word,
        tone=label.tone,
        is_over=is_over(connection),
        ended_because=ENDED_BECAUSE.get(connection.revoked_because, ""),
    )


def limit_words(connection: AgentConnection) -> list[tuple[str, str]]:
    """Its limits, each with its name."""
    asks = connection.approval_above_usd
    return [
        ("A call", money_words(connection.per_call_usd)),
        ("24 hours", money_words(connection.per_day_usd)),
        ("An hour", f"{connection.per_hour_count} times"),
        ("Asks a person", "never" if asks is None else "always" if not asks else f"above {money_words(asks)}"),
    ]


def is_over(connection: AgentConnection) -> bool:
    """Whether nothing can be called with it any more."""
    return connection.revoked_at is not None or (connection.expires_at is not None and connection.expires_at <= now())


def _status(connection: AgentConnection, policy: AgentPolicy | None) -> Label:
    if connection.revoked_at is not None:
        return Label("Revoked", "bad")
    if is_over(connection):
        return Label("Expired", "bad")
    if connection.paused_at is not None:
        return Label("Paused", "warn")
    if policy is not None and policy.paused_at is not None:
        return Label("All agents paused", "warn")
    return Label("Active", "ok")


def connections_of(visit: Visit) -> Any:
    """The merchant's connections in this mode."""
    return AgentConnection.objects.visible_to(visit.principal).select_related("application", "user", "merchant")


def connection_at(visit: Visit, connection_id: int) -> AgentConnection:
    """The merchant's connection in this mode. Raises: Http404."""
    found: AgentConnection | None = connections_of(visit).filter(pk=connection_id).first()
    if found is None:
        raise Http404
    return found


def policy_of(visit: Visit) -> AgentPolicy | None:
    """What holds for all agents together, if anything was ever said."""
    found: AgentPolicy | None = AgentPolicy.objects.visible_to(visit.principal).first()
    return found


def permissions(visit: Visit) -> dict[str, object]:
    """What the templates need to know about who looks."""
    return {"may_act": visit.may(Act.STEER_AGENTS)}
