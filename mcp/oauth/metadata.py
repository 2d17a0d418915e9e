"""What clients read before anything else: who issues access tokens here, and for what. Source: RFC 8414; RFC 9728."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from oauth2_provider.views import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from mcp.scopes import BASIC_SCOPES

MAX_AGE_SECONDS = 300


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
