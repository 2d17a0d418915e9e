"""What the audit notes of a request besides who sent it."""

from django.http import HttpRequest

from core.caller import client_address
from core.request_id import current_request_id
from mcp.caller import CallFacts

_AGENT_LENGTH, _VERSION_LENGTH, _ADDRESS_LENGTH = 200, 20, 64


def facts_of(request: HttpRequest, protocol_version: str = "") -> CallFacts:
    """The facts of this request, cut to their columns and without control characters."""
    return CallFacts(
        address=_cut(client_address(request), _ADDRESS_LENGTH),
        user_agent=_cut(request.headers.get("User-Agent", ""), _AGENT_LENGTH),
        protocol_version=_cut(protocol_version, _VERSION_LENGTH),
        request_id=current_request_id(),
    )


def _cut(text: str, length: int) -> str:
    return "".join(character for character in text[:length] if character.isprintable())
