"""What is asked of a request before its body is read: host, origin, access token, method, media types, size.

The agents' door knows no key, no cookie and no session.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest

from core.clock import now
from core.errors import PayloadTooLarge
from core.exception_handler import MethodNotAllowed, NotAcceptable, UnsupportedMediaType
from core.modes import Mode
from mcp.caller import Caller
from mcp.errors import Unauthorized
from mcp.facts import facts_of
from mcp.models import AgentConnection
from mcp.oauth.access import believed_access_token, lent_now
from merchants.errors import OriginNotAllowed
from merchants.principal import Principal

WE_WRITE = frozenset({"application/json", "application/*", "*/*"})
USE_NOTED_EVERY = timedelta(seconds=60)


def check_sender(request: HttpRequest) -> None:
    """Refuse a host that is not ours, and pages of other origins. Why: a name can be made to lead here (DNS rebinding).

    Raises: OriginNotAllowed; DisallowedHost.
    """
    request.get_host()
    origin = request.headers.get("Origin")
    if origin is not None and origin.lower() not in {settings.BASE_URL.lower(), *settings.MCP_ALLOWED_ORIGINS}:
        raise OriginNotAllowed("Pages of that origin may not call this server.")


def check_form(request: HttpRequest) -> None:
    """Refuse another method than POST, another body than JSON, and a client that takes no JSON.

    Raises: MethodNotAllowed, UnsupportedMediaType, NotAcceptable.
    """
    if request.method != "POST":
        raise MethodNotAllowed(headers={"Allow": "POST"})
    encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
    if _media_type(request.META.get("CONTENT_TYPE", "")) != "application/json" or encoding not in {"", "identity"}:
        raise UnsupportedMediaType
    accepted = request.headers.get("Accept", "")
    if accepted.strip() and not any(_takes_json(entry) for entry in accepted.split(",")):
        raise NotAcceptable


def read_body(request: HttpRequest) -> bytes:
    """The whole body. Raises: PayloadTooLarge over ``MAX_BODY_BYTES``."""
    limit: int = settings.MAX_BODY_BYTES
    body: bytes = request.read(limit + 1)
    if len(body) > limit:
        raise PayloadTooLarge
    return body


def _takes_json(entry: str) -> bool:
    """Whether one entry of ``Accept`` allows JSON. Why the weight: 0 means never."""
    parameters = [parameter.strip().lower() for parameter in entry.split(";")[1:]]
    weights = [parameter.removeprefix("q=") for parameter in parameters if parameter.startswith("q=")]
    return _media_type(entry) in WE_WRITE and not any(weight.strip("0.") == "" for weight in weights)


def _media_type(text: str) -> str:
    return text.partition(";")[0].strip().lower()


def authenticate(request: HttpRequest) -> Caller:
    """The caller of a request; its connection is noted as used, at most once a minute. Raises: Unauthorized.

    Why the header alone: what stands in an address ends in logs.
    Source: docs/guides/agents.md, For developers of clients.
    """
    header: str = request.META.get("HTTP_AUTHORIZATION", "")
    scheme, _, raw = header.strip().partition(" ")
    if scheme.lower() != "bearer" or not raw.strip():
        raise Unauthorized(sent_a_token=False)
    token = believed_access_token(raw.strip())
    if token is None:
        raise Unauthorized(sent_a_token=True)
    connection: Any = token.connection
    moment = now()
    longest_ago = moment - USE_NOTED_EVERY
    if connection.last_used_at is None or connection.last_used_at <= longest_ago:
        # Asked once more in the update: somebody else may have noted the same meanwhile.
        due = Q(last_used_at=None) | Q(last_used_at__lte=longest_ago)
        AgentConnection.objects.filter(due, pk=connection.pk).update(last_used_at=moment)
    return Caller(
        principal=Principal(merchant_id=connection.merchant_id, mode=Mode(connection.mode), actor=connection.actor),
        connection=connection,
        scopes=frozenset(token.scope.split()) & frozenset(connection.scopes) & lent_now(token),
        facts=facts_of(request),
    )
