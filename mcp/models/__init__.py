"""Tables of the agents' door: OAuth, connections, what agents did, and what waits for a person."""

from mcp.models.approvals import ApprovalRequest, ApprovalTransition
from mcp.models.audit import AgentRecord, AuditAction
from mcp.models.connections import AgentConnection, AgentEffect, AgentPolicy, RevokedBecause
from mcp.models.oauth import (
    AccessToken,
    AnsweredConsent,
    Application,
    ClientDocument,
    Grant,
    IDToken,
    RefreshToken,
    UsedCode,
)

__all__ = [
    "AccessToken",
    "AgentConnection",
    "AgentEffect",
    "AgentPolicy",
    "AgentRecord",
    "AnsweredConsent",
    "Application",
    "ApprovalRequest",
    "ApprovalTransition",
    "ClientDocument",
    "AuditAction",
    "Grant",
    "IDToken",
    "RefreshToken",
    "RevokedBecause",
    "UsedCode",
]
