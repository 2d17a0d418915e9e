"""From where a request comes, for whoever writes down what it changed."""

from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest

_ADDRESS_LENGTH, _AGENT_LENGTH = 64, 200


class ClientInfo(NamedTuple):
    """The network address and the program of a caller, as far as they can be believed; empty outside of a request."""

    address: str = ""
    user_agent: str = ""


_current: ContextVar[HttpRequest | None] = ContextVar("request_under_way", default=None)


def begin_request(request: HttpRequest) -> Token[HttpRequest | None]:
    """Keep at hand from where this request comes. Give the token to ``end_request``."""
    return _current.set(request)


def end_request(token: Token[HttpRequest | None]) -> None:
    """Forget the request again."""
    _current.reset(token)


def current_client_info() -> ClientInfo:
    """From where the request under way comes."""
    request = _current.get()
    return ClientInfo() if request is None else client_info_of(request)


def client_info_of(request: HttpRequest) -> ClientInfo:
    """From where a request comes, cut to what columns take and without control characters."""
    return ClientInfo(
        address=_cut(client_address(request), _ADDRESS_LENGTH),
        user_agent=_cut(request.headers.get("User-Agent", ""), _AGENT_LENGTH),
    )


def client_address(request: HttpRequest) -> str:
    """Who is asking: behind a trusted proxy the address that the proxy itself saw, else the peer's.

    Why the last entry of the header: everything before it was written by the client.
    """
    return address_in(request.META)


def address_in(environment: Mapping[str, Any]) -> str:
    """The same, of a request as WSGI says it."""
    peer: str = environment.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        forwarded: str = environment.get("HTTP_X_FORWARDED_FOR", "")
        return forwarded.rpartition(",")[2].strip() or peer
    return peer


def _cut(text: str, length: int) -> str:
    return "".join(character for character in text[:length] if character.isprintable())
