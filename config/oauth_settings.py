"""How OAuth 2.1 behaves here: one dictionary for the library, and a few numbers of our own.

Source: docs/adr/0021. What the library leaves open is closed in ``mcp/oauth``.
"""

import re
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.environment import env
from mcp.scopes import BASIC_SCOPES, SCOPE_TEXTS

ACCESS_TOKEN_SECONDS = 900
REFRESH_TOKEN_SECONDS = 30 * 86_400
CODE_SECONDS = 60
"""Source: docs/design/agents.md, Lifetimes."""
REFUSED_SCHEMES = frozenset(
    {"http", "https", "javascript", "data", "file", "blob", "vbscript", "about", "ftp", "ws", "wss"}
)
"""What can never be an app's own scheme: a browser would run it, read it or send it in clear."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


def private_schemes(name: str) -> list[str]:
    """The schemes of installed apps that may be redirected to. Raises: ImproperlyConfigured."""
    schemes: list[str] = [scheme.lower() for scheme in env.list(name, default=["cursor"])]
    for scheme in schemes:
        if scheme in REFUSED_SCHEMES or not _SCHEME.fullmatch(scheme):
            raise ImproperlyConfigured(f"{name} names {scheme!r}, which cannot be the scheme of an installed app.")
    return schemes


def oauth_provider(base_url: str, app_schemes: list[str], *, client_documents: bool) -> dict[str, Any]:
    """The library's settings for one issuer and one protected resource."""
    return {
        "OIDC_ISS_ENDPOINT": base_url,  # also without OpenID Connect: it fixes issuer, iss and every endpoint's URL
        "OAUTH2_VALIDATOR_CLASS": "mcp.oauth.validator.Validator",
        "OAUTH2_SERVER_CLASS": "mcp.oauth.server.CodeServer",
        "OAUTH2_BACKEND_CLASS": "mcp.oauth.backend.Core",
        **_grants(),
        **_gates(),
        "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
        "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
        "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none"],
        "OAUTH2_PROTECTED_RESOURCE_IDENTIFIER": f"{base_url}/mcp",
        "OAUTH2_PROTECTED_RESOURCE_AUTHORIZATION_SERVERS": [base_url],
        "OAUTH2_PROTECTED_RESOURCE_NAME": "Causeway",
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https", *app_schemes],
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "DCR_ENABLED": True,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
        "CIMD_ENABLED": client_documents,
        "CIMD_METADATA_FETCHER": "mcp.oauth.documents.StoredDocuments",
        "CIMD_FAILURE_BACKOFF_SECONDS": 0,  # nothing is fetched where the library would back off
    }


def _grants() -> dict[str, Any]:
    return {
        "SCOPES": {str(scope): text for scope, text in SCOPE_TEXTS.items()},
        "DEFAULT_SCOPES": [str(scope) for scope in BASIC_SCOPES],
        "PKCE_REQUIRED": True,
        "REQUEST_APPROVAL_PROMPT": "force",
        "AUTHORIZATION_CODE_EXPIRE_SECONDS": CODE_SECONDS,
        "ACCESS_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_SECONDS,
        "REFRESH_TOKEN_EXPIRE_SECONDS": REFRESH_TOKEN_SECONDS,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
    }


def _gates() -> dict[str, Any]:
    """What RFC 9700 asks for, all of it but ``REDIRECT_URI_SCHEME``: http is needed for programs on this machine."""
    on = (
        *("IMPLICIT_GRANT", "PASSWORD_GRANT", "PKCE_METHOD", "ACCESS_TOKEN_TRANSPORT", "AUTHZ_RESPONSE_ISS"),
        *("TOKEN_STORAGE", "REFRESH_TOKEN", "REDIRECT_URI_MATCHING", "PKCE_REQUIRED"),
    )
    return {f"COMPLIANT_BCP_RFC9700_{gate}": True for gate in on}
