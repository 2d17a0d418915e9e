"""The OAuth tables, ours from the first migration, so that a grant can be bound to one merchant and one mode.

Why now: swapping these models after data exists is painful.
"""

from django.core.exceptions import ValidationError
from django.db import models
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractApplication,
    AbstractGrant,
    AbstractIDToken,
    AbstractRefreshToken,
)

from mcp.redirects import RedirectRefused, check_redirect_uris
from mcp.visible import plain_name

CONNECTION = "mcp_server.AgentConnection"


class Application(AbstractApplication):
    """A client program that may ask for a grant."""

    class Meta(AbstractApplication.Meta):
        swappable = "OAUTH2_PROVIDER_APPLICATION_MODEL"

    def clean(self) -> None:
        """One rule for clients that wrote themselves and those an operator writes. Raises: ValidationError."""
        super().clean()
        self.name = plain_name(self.name)  # type: ignore[has-type]  # the library is untyped
        if self.authorization_grant_type != self.GRANT_AUTHORIZATION_CODE:
            raise ValidationError({"authorization_grant_type": "This server knows authorization codes only."})
        if self.skip_authorization:
            raise ValidationError({"skip_authorization": "The consent page is always shown."})
        try:
            check_redirect_uris(self.redirect_uris.split())
        except RedirectRefused as error:
            raise ValidationError({"redirect_uris": str(error)}) from error


class Grant(AbstractGrant):
    """An authorization code."""

    connection = models.ForeignKey(CONNECTION, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(AbstractGrant.Meta):
        swappable = "OAUTH2_PROVIDER_GRANT_MODEL"


class AccessToken(AbstractAccessToken):
    """A short-lived access token."""

    connection = models.ForeignKey(CONNECTION, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(AbstractAccessToken.Meta):
        swappable = "OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL"


class RefreshToken(AbstractRefreshToken):
    """A rotating refresh token."""

    connection = models.ForeignKey(CONNECTION, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(AbstractRefreshToken.Meta):
        swappable = "OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL"


class IDToken(AbstractIDToken):
    """Present because the library's token table refers to one; no identity tokens are issued."""

    class Meta(AbstractIDToken.Meta):
        swappable = "OAUTH2_PROVIDER_ID_TOKEN_MODEL"
