"""What a program says of itself when it registers, read strictly where it matters and ignored where it does not.

Source: RFC 7591; docs/adr/0021.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from mcp.redirects import RedirectRefused, check_redirect_uris
from mcp.scopes import BASIC_SCOPES, Scope
from mcp.visible import plain_name

MAX_BODY_BYTES: Final = 16 * 1024
GRANT_TYPES: Final = ("authorization_code", "refresh_token")
RESPONSE_TYPES: Final = ("code",)
SECRET_METHODS: Final = ("none", "client_secret_basic", "client_secret_post")
"""What may be asked for. Every client gets ``none``: PKCE protects the code, and a secret in an app is none."""


class MetadataRefused(Exception):
    """Nothing is registered; ``error`` is the word of RFC 7591, the text a sentence."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error, self.description = error, description


@dataclass(frozen=True, kw_only=True)
class ClientMetadata:
    """What is kept of a client's description, and the scopes that it may expect."""

    name: str
    redirect_uris: list[str]
    scope: str


def read_metadata(body: bytes) -> ClientMetadata:
    """Read a registration. Raises: MetadataRefused."""
    described = _object(body)
    uris = _texts(described, "redirect_uris", [])
    try:
        check_redirect_uris(uris)
    except RedirectRefused as error:
        raise MetadataRefused("invalid_redirect_uri", str(error)) from error
    grant_types = _texts(described, "grant_types", list(GRANT_TYPES))
    if "authorization_code" not in grant_types or not set(grant_types) <= set(GRANT_TYPES):
        raise _refused("grant_types must hold authorization_code, and may hold refresh_token.")
    if set(_texts(described, "response_types", list(RESPONSE_TYPES))) != set(RESPONSE_TYPES):
        raise _refused("response_types must be code.")
    if _text(described, "token_endpoint_auth_method", "none") not in SECRET_METHODS:
        raise _refused("token_endpoint_auth_method must be none.")
    name = plain_name(_text(described, "client_name", ""))
    asked = dict.fromkeys(_text(described, "scope", "").split())
    known = [scope for scope in asked if scope in set(Scope)]
    return ClientMetadata(name=name, redirect_uris=uris, scope=" ".join(known or BASIC_SCOPES))


def _object(body: bytes) -> dict[str, Any]:
    if len(body) > MAX_BODY_BYTES:
        raise _refused(f"The description is longer than {MAX_BODY_BYTES} bytes.")
    try:
        described = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _refused("The request body must be one JSON object.") from error
    if not isinstance(described, dict):
        raise _refused("The request body must be one JSON object.")
    return described


def _text(described: dict[str, Any], name: str, default: str) -> str:
    value = described.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise _refused(f"{name} must be a text.")
    return value


def _texts(described: dict[str, Any], name: str, default: list[str]) -> list[str]:
    value = described.get(name)
    if value is None:
        return default
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _refused(f"{name} must be a list of texts.")
    return value


def _refused(description: str) -> MetadataRefused:
    return MetadataRefused("invalid_client_metadata", description)
