"""Refusals at the agents' door, with their codes."""

from collections.abc import Collection

from django.conf import settings

from core.errors import ServiceError
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
