"""What the audit notes of a request besides who sent it."""

from django.http import HttpRequest

from core.caller import client_info_of
from core.request_id import current_request_id
from mcp.caller import CallFacts

_VERSION_LENGTH = 20


def facts_of(request: HttpRequest, protocol_version: str = "") -> CallFacts:
    """The facts of this request, cut to their columns and without control characters."""
    client = client_info_of(request)
    return CallFacts(
        address=client.address,
        user_agent=client.user_agent,
        protocol_version="".join(one for one in protocol_version[:_VERSION_LENGTH] if one.isprintable()),
        request_id=current_request_id(),
    )
