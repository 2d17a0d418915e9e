"""Who calls a tool: one connection, and through it one merchant in one mode."""

from dataclasses import dataclass, field

from mcp.models import AgentConnection
from merchants.principal import Principal


@dataclass(frozen=True, kw_only=True)
class CallFacts:
    """What is known of a request besides who sent it; for the audit only."""

    address: str = ""
    user_agent: str = ""
    protocol_version: str = ""
    request_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Caller:
    """An agent whose access token was just believed. ``scopes`` are the token's, never more than the connection's."""

    principal: Principal
    connection: AgentConnection
    scopes: frozenset[str]
    facts: CallFacts = field(default_factory=CallFacts)
