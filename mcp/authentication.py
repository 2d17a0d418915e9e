"""Turns a bearer access token into a ``Caller``: the agents' door knows no key, no cookie and no session."""

from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from core.clock import now
from core.modes import Mode
from mcp.caller import Caller
from mcp.errors import Unauthorized
from mcp.facts import facts_of
from mcp.models import AgentConnection
from mcp.oauth.access import believed_access_token, lent_now
from merchants.principal import Principal

USE_NOTED_EVERY = timedelta(seconds=60)


def authenticate(request: HttpRequest) -> Caller:
    """The caller of a request. Raises: Unauthorized.

    Why the header alone: what stands in an address ends in logs. Source: docs/agents.md, For developers of clients.
    """
    raw = _bearer(request)
    if not raw:
        raise Unauthorized(sent_a_token=False)
    token = believed_access_token(raw)
    if token is None:
        raise Unauthorized(sent_a_token=True)
    connection: Any = token.connection
    _note_use(connection)
    return Caller(
        principal=Principal(merchant_id=connection.merchant_id, mode=Mode(connection.mode), actor=connection.actor),
        connection=connection,
        scopes=frozenset(token.scope.split()) & frozenset(connection.scopes) & lent_now(token),
        facts=facts_of(request),
    )


def _bearer(request: HttpRequest) -> str:
    header: str = request.META.get("HTTP_AUTHORIZATION", "")
    scheme, _, raw = header.strip().partition(" ")
    return raw.strip() if scheme.lower() == "bearer" else ""


def _note_use(connection: AgentConnection) -> None:
    """Write down that it was used, at most once a minute, whoever else does the same."""
    moment = now()
    last = connection.last_used_at
    if last is not None and last > moment - USE_NOTED_EVERY:
        return
    due = Q(last_used_at=None) | Q(last_used_at__lte=moment - USE_NOTED_EVERY)
    AgentConnection.objects.filter(due, pk=connection.pk).update(last_used_at=moment)
