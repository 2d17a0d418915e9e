"""What programs call: read who issues tokens and for what, exchange a code or a refresh token, revoke one.

Source: RFC 8414; RFC 9728.
"""

from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from oauth2_provider.views import (
    OAuthProtectedResourceMetadataView,
    OAuthServerMetadataView,
    RevokeTokenView,
    TokenView,
)

from mcp.oauth.throttles import count, count_exchange, count_failure
from mcp.scopes import BASIC_SCOPES

_SECRETS = sensitive_post_parameters("code", "code_verifier", "refresh_token", "token", "client_secret")
MAX_AGE_SECONDS = 300


@method_decorator(_SECRETS, name="dispatch")
class AccessTokenView(TokenView):
    """Exchanges codes and refresh tokens; an answer is never kept by anybody on its way.

    Why one transaction: a code is used up and what it brings is stored together, or neither is.
    """

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """Answer in the form of RFC 6749, 5."""
        count(request, "token")
        client_id = request.POST.get("client_id", "")
        with transaction.atomic():
            response: HttpResponse = self.authorization_flow_token_response(request)
            if response.status_code == HTTPStatus.OK:
                count_exchange(client_id)
        if response.status_code != HTTPStatus.OK:  # when it is committed: a token that was used twice ends its family
            count_failure(request, client_id)
        response.headers["Content-Type"] = "application/json"
        response.headers["Cache-Control"] = "no-store"
        response.headers["Pragma"] = "no-cache"
        return response


@method_decorator(_SECRETS, name="dispatch")
class RevocationView(RevokeTokenView):
    """Revokes what a client hands in. Source: RFC 7009."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """200 also for what is unknown: a client cannot do anything about that."""
        count(request, "revoke")
        with transaction.atomic():
            response: HttpResponse = super().post(request)
        response.headers["Cache-Control"] = "no-store"
        return response


class _Published:
    """Readable from every web page, for a while without asking again. Why only these: they say nothing of anybody."""

    http_method_names = ("get", "head", "options")

    def get(self, request: HttpRequest, *arguments: Any, **keywords: Any) -> HttpResponse:
        """The document."""
        response: HttpResponse = super().get(request, *arguments, **keywords)  # type: ignore[misc]  # of the library's view
        response.headers["Cache-Control"] = f"public, max-age={MAX_AGE_SECONDS}"
        return response

    def options(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """Agents in a browser send a header of their protocol, so browsers ask first."""
        return HttpResponse(
            status=204,
            headers={
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Allow-Methods": "GET, HEAD",
                "Access-Control-Allow-Headers": "MCP-Protocol-Version",
                "Access-Control-Max-Age": str(MAX_AGE_SECONDS),
            },
        )


class ServerMetadataView(_Published, OAuthServerMetadataView):
    """The authorization server."""


class ResourceMetadataView(_Published, OAuthProtectedResourceMetadataView):
    """The protected resource: the agents' door."""

    def get_scopes_supported(self) -> list[str]:
        """The least that is useful. Why not all: clients without a challenge ask for everything that is listed."""
        return [str(scope) for scope in BASIC_SCOPES]
