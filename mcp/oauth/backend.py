"""Between Django's requests and the protocol engine: every error redirect names its issuer, no odd query breaks it."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpRequest
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauthlib.oauth2.rfc6749.errors import InvalidRequestFatalError


class Core(OAuthLibCore):
    """The library's, with what it leaves out."""

    def validate_authorization_request(self, request: HttpRequest) -> Any:
        """The scopes and credentials of a request for consent. Raises: OAuthToolkitError."""
        try:
            return super().validate_authorization_request(request)
        except ValueError as error:
            unreadable = InvalidRequestFatalError(description="The query cannot be read.")
            raise FatalClientError(error=unreadable) from error
        except OAuthToolkitError as error:
            raise _naming_issuer(error) from error

    def create_authorization_response(self, request: HttpRequest, scopes: Any, credentials: Any, allow: Any) -> Any:
        """Where the person is sent back to, with a code or with a refusal. Raises: OAuthToolkitError."""
        try:
            return super().create_authorization_response(request, scopes, credentials, allow)
        except OAuthToolkitError as error:
            raise _naming_issuer(error) from error


def with_issuer(url: str) -> str:
    """An authorization answer's URL with ``iss``, once and ours. Source: RFC 9207; docs/adr/0021."""
    parts = urlsplit(url)
    others = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if key != "iss"]
    return urlunsplit(parts._replace(query=urlencode([*others, ("iss", settings.BASE_URL)])))


def _naming_issuer(error: OAuthToolkitError) -> OAuthToolkitError:
    """Put ``iss`` where the library appends the error to."""
    if not isinstance(error, FatalClientError) and error.oauthlib_error.redirect_uri:
        error.oauthlib_error.redirect_uri = with_issuer(error.oauthlib_error.redirect_uri)
    return error
