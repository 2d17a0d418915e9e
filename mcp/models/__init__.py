"""Tables of the agents' door: OAuth, connections, what agents did, and what waits for a person."""

from mcp.models.approvals import ApprovalRequest, ApprovalTransition
from mcp.models.audit import AgentRecord, AuditAction
from mcp.models.codes import UsedCode
from mcp.models.connections import AgentConnection, AgentPolicy, RevokedBecause
from mcp.models.consents import AnsweredConsent
from mcp.models.documents import ClientDocument
from mcp.models.effects import AgentEffect
from mcp.models.oauth import AccessToken, Application, Grant, IDToken, RefreshToken

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
