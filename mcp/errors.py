"""Refusals at the agents' door, each with its stable code and what can be done about it."""

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings

from core.errors import Conflict, RateLimited, ServiceError
from mcp.scopes import BASIC_SCOPES, Scope


def resource_metadata_url() -> str:
    """Where a client reads who may issue access tokens for us. Source: RFC 9728, section 3.1."""
    return f"{settings.BASE_URL}/.well-known/oauth-protected-resource/mcp"


class Unauthorized(ServiceError):
    """No access token, or none that is believed. Why no word on which: a stranger learns nothing by trying."""

    code = "unauthorized"
    http_status = 401
    message = "Unauthorized"

    def __init__(self, *, sent_a_token: bool) -> None:
        parts = [f'resource_metadata="{resource_metadata_url()}"', f'scope="{" ".join(BASIC_SCOPES)}"']
        if sent_a_token:
            parts += ['error="invalid_token"', f'error_description="{_NOT_BELIEVED}"']
        super().__init__(headers={"WWW-Authenticate": f"Bearer {', '.join(parts)}"})


_NOT_BELIEVED = "The access token is unknown, expired, revoked, or not for this server."


class InsufficientScope(ServiceError):
    """The access token is good, but the merchant did not allow this; the client may ask it to. Source: RFC 6750."""

    code = "insufficient_scope"
    http_status = 403
    message = "The merchant did not allow this. Ask it for the scopes that are named."

    def __init__(self, needed: Collection[Scope]) -> None:
        """``needed`` is everything that the call needs, what is there already included."""
        scopes = [scope for scope in Scope if scope in needed]
        challenge = (
            f'Bearer error="insufficient_scope", scope="{" ".join(scopes)}", '
            f'resource_metadata="{resource_metadata_url()}", error_description="{self.message}"'
        )
        super().__init__(details={"scopes": [str(scope) for scope in scopes]}, headers={"WWW-Authenticate": challenge})


class LimitExceeded(ServiceError):
    """More than a person allowed this connection, or all agents of the merchant together.

    ``details``: which ``limit``, of whom (``scope``), what it allows, what is ``left``, and when that grows.
    """

    code = "limit_exceeded"
    http_status = 403

    def __init__(self, sentence: str, details: Mapping[str, Any]) -> None:
        super().__init__(f"{sentence} Nothing was sent. Only a person can change the limits.", details=details)


class TooManyEffects(RateLimited):
    """More refunds and payouts a minute than one connection may make."""

    def __init__(self, limit: int, window_seconds: int, retry_after_seconds: int) -> None:
        super().__init__(
            f"This connection may move money {limit} times in {window_seconds} seconds. "
            f"Nothing was sent; try again in {retry_after_seconds} seconds.",
            details={
                "limit": limit,
                "window_seconds": window_seconds,
                "retry_after_seconds": retry_after_seconds,
                "scope": "connection",
            },
            headers={"Retry-After": str(retry_after_seconds)},
        )


class AgentsPaused(ServiceError):
    """A person stopped this connection, or all agents; ``details.scope`` says which."""

    code = "agents_paused"
    http_status = 403

    def __init__(self, scope: str, since: str) -> None:
        whom = "This connection is paused" if scope == "connection" else "All agents of this merchant are paused"
        super().__init__(
            f"{whom} by a person, so no money leaves. Ask the merchant to resume it on the dashboard.",
            details={"scope": scope, "paused_at": since},
        )


class ConnectionEnded(ServiceError):
    """The connection was revoked or ran out while the call was under way."""

    code = "connection_ended"
    http_status = 403
    message = "This connection was revoked or has expired. Nothing was sent. A person must connect it again."


class ApprovalRequired(ServiceError):
    """It is above what the agent may do alone. Nothing exists yet but the request; a repeat of the call asks for news.

    Source: docs/guides/agents.md, Limits and approvals.
    """

    code = "approval_required"
    http_status = 409
    message = (
        "A person must approve this on the merchant's dashboard first; nothing was sent. "
        "Repeat the call with the same idempotency key later to learn what became of it."
    )


class ApprovalDenied(ServiceError):
    """No person allowed it: it was denied, nobody decided in time, or the connection was revoked."""

    code = "approval_denied"
    http_status = 403
    SENTENCES: Mapping[str, str] = {
        "denied": "A person denied this. Nothing was sent. Do not ask again without their word.",
        "expired": "Nobody approved this in time. Nothing was sent. To ask again use another idempotency key.",
        "withdrawn": "The request ended with its connection. Nothing was sent.",
    }

    def __init__(self, status: str, details: Mapping[str, Any]) -> None:
        super().__init__(self.SENTENCES[status], details=details)


class ApprovalNotPending(Conflict):
    """A person decides about what was decided already, or has expired."""

    code = "approval_not_pending"

    def __init__(self, status: str) -> None:
        super().__init__(f"This request is already {status}. Nothing was changed.", details={"status": status})


class ApprovalOutdated(Conflict):
    """What would leave by now is not what the person who approves was shown; ``details.differs`` names what differs."""

    code = "approval_outdated"
    ASK_AGAIN = "Nothing was sent. Deny this request; the agent can ask anew under another key."

    def __init__(self, differs: Mapping[str, tuple[str, str]]) -> None:
        """``differs``: what was approved and what would be sent by now, under its name."""
        words = ", ".join(
            f"{_LEAVES[name].format(wanted)} instead of {approved}" for name, (approved, wanted) in differs.items()
        )
        details: dict[str, Any] = {"differs": list(differs)}
        if "amount_usd" in differs:
            details |= dict(zip(("approved_usd", "wanted_usd"), differs["amount_usd"], strict=True))
        super().__init__(f"By now this would {words}. {self.ASK_AGAIN}", details=details)


class ApprovalUnplanned(ApprovalOutdated):
    """It was asked for before requests kept what would leave, so nobody was shown it."""

    def __init__(self) -> None:
        sentence = "It was asked for before this service kept where the money of a request goes."
        Conflict.__init__(self, f"{sentence} {self.ASK_AGAIN}", details={"differs": []})


_LEAVES: Mapping[str, str] = {
    "amount_usd": "be worth {} USD",
    "units": "send {}",
    "token": "send the token {}",
    "chain": "be on {}",
    "destination": "go to {}",
    "rail": "be sent over {}",
}
