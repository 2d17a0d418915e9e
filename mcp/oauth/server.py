"""The protocol engine with one way in: a code with PKCE, and refresh. Every other grant type is unsupported.

Why our own: the library's holds implicit, password, client and device grants as well, behind switches.
"""

import re
from typing import Any

from oauthlib.oauth2.rfc6749 import errors
from oauthlib.oauth2.rfc6749.endpoints.authorization import AuthorizationEndpoint
from oauthlib.oauth2.rfc6749.endpoints.resource import ResourceEndpoint
from oauthlib.oauth2.rfc6749.endpoints.revocation import RevocationEndpoint
from oauthlib.oauth2.rfc6749.endpoints.token import TokenEndpoint
from oauthlib.oauth2.rfc6749.grant_types import AuthorizationCodeGrant, RefreshTokenGrant
from oauthlib.oauth2.rfc6749.tokens import BearerToken

from mcp.oauth.resource import check_resource

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url without padding. Source: RFC 7636, 4.2."""
_ONCE = ("code_challenge", "code_challenge_method", "response_mode", "prompt")


class CodeServer(AuthorizationEndpoint, TokenEndpoint, ResourceEndpoint, RevocationEndpoint):
    """Authorization, token and revocation endpoints of OAuth 2.1."""

    def __init__(
        self,
        request_validator: Any,
        token_expires_in: Any = None,
        token_generator: Any = None,
        refresh_token_generator: Any = None,
        **_: Any,
    ) -> None:
        code = AuthorizationCodeGrant(request_validator, pre_auth=[check_once], post_auth=[check_pkce, check_resource])
        refresh = RefreshTokenGrant(request_validator)
        bearer = BearerToken(request_validator, token_generator, token_expires_in, refresh_token_generator)
        AuthorizationEndpoint.__init__(
            self, default_response_type="code", response_types={"code": code}, default_token_type=bearer
        )
        TokenEndpoint.__init__(
            self,
            default_grant_type="authorization_code",
            grant_types={"authorization_code": code, "refresh_token": refresh},
            default_token_type=bearer,
        )
        ResourceEndpoint.__init__(self, default_token="Bearer", token_types={"Bearer": bearer})  # noqa: S106 - a type
        RevocationEndpoint.__init__(self, request_validator)


def check_once(request: Any) -> dict[str, Any]:
    """Refuse other answers than codes, and parameters that are sent twice: two readers could take different ones.

    Raises: OAuth2Error.
    """
    if request.response_type not in (None, "code"):
        raise errors.UnsupportedResponseTypeError(request=request)
    for name in _ONCE:
        if name in request.duplicate_params:
            raise errors.InvalidRequestError(description=f"Duplicate {name} parameter.", request=request)
    return {}


def check_pkce(request: Any) -> dict[str, Any]:
    """Only S256, and only with a challenge that a verifier can answer. Raises: InvalidRequestError."""
    if request.code_challenge_method != "S256":
        raise errors.InvalidRequestError(description="Use code_challenge_method=S256.", request=request)
    if not _CHALLENGE.fullmatch(request.code_challenge or ""):
        raise errors.InvalidRequestError(description="code_challenge is not an S256 challenge.", request=request)
    return {}
