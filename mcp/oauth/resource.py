"""The one thing that access tokens of this server are for, and how requests name it.

Source: RFC 8707; docs/adr/0021.
"""

from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

RESOURCE: Final[str] = f"{settings.BASE_URL}/mcp"


def check_resource(request: Any) -> dict[str, Any]:
    """Bind the request to our resource; the form is that of the library's own checks.

    Why stamped where a client names none: a token for no resource in particular would be one for any.
    Raises: CustomOAuth2Error ``invalid_target`` when it names another one, or several.
    """
    named = named_resources(request)
    if len(named) > 1 or any(_normal(name) != _normal(RESOURCE) for name in named):
        raise CustomOAuth2Error(
            error="invalid_target",
            description=f"This server issues access tokens for {RESOURCE} only.",
            state=getattr(request, "state", None),
            request=request,
        )
    request.resource = [RESOURCE]
    return {"resource": [RESOURCE]}


def named_resources(request: Any) -> list[str]:
    """Every resource that a request names: in its query, in its form, or in what the consent page passed on."""
    pairs = [*(request.uri_query_params or []), *(request.decoded_body or [])]
    sent = [value for key, value in pairs if key == "resource"]
    passed = getattr(request, "resource", None) or []
    listed = passed if isinstance(passed, list) else str(passed).split()
    return [name for name in dict.fromkeys([*sent, *listed]) if name]


def _normal(uri: object) -> str:
    """A resource with its scheme and host in small letters: clients may write those as they like."""
    if not isinstance(uri, str):
        return ""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    return uri if not parts.netloc else f"{parts.scheme}://{parts.netloc.lower()}{uri.partition(parts.netloc)[2]}"
