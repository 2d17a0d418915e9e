"""Who asks for consent and where the answer is sent, in words for a person. Pure.

Why: whoever registers a client chooses its name, and people must not be led to take it for another.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from mcp.models import Application
from mcp.visible import plain_name

_THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, kw_only=True)
class Client:
    """Who asks. ``verified_host`` is empty where nothing but the client itself says who it is."""

    name: str
    verified_host: str
    registered_itself: bool


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where the answer goes. ``host`` is a host with its port, or an app's scheme; ``form_action`` is a source
    expression of a content policy.
    """

    host: str
    uri: str
    is_this_machine: bool
    is_app: bool
    form_action: str


def client_of(application: Application) -> Client:
    """Who a client is, as far as this service knows."""
    source = application.RegistrationSource
    host = _shown_host(application.client_id) if application.registration_source == source.CIMD else ""
    return Client(
        name=plain_name(application.name) or plain_name(application.client_id),
        verified_host=host,
        registered_itself=application.registration_source == source.DCR,
    )


def target_of(redirect_uri: str) -> Target:
    """Where a redirect leads."""
    parts = urlsplit(redirect_uri)
    is_app = parts.scheme not in {"http", "https"}
    return Target(
        host=f"{parts.scheme}:" if is_app else _shown_host(redirect_uri),
        uri=redirect_uri,
        is_this_machine=not is_app and parts.hostname in _THIS_MACHINE,
        is_app=is_app,
        # Why the scheme alone for IPv6: a content policy cannot write its addresses.
        form_action=f"{parts.scheme}:" if is_app or "[" in parts.netloc else f"{parts.scheme}://{parts.netloc}",
    )


def _shown_host(url: str) -> str:
    """The host as machines know it: a name in other letters is shown in its ASCII form, look-alikes and all."""
    netloc = urlsplit(url).netloc.rpartition("@")[2]
    host, colon, port = netloc.partition(":")
    try:
        return netloc if netloc.isascii() else f"{host.encode('idna').decode()}{colon}{port}"
    except UnicodeError:
        return netloc.encode("ascii", "backslashreplace").decode()
