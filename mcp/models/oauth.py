"""The OAuth tables, ours from the first migration, so that a grant can be bound to one merchant and one mode.

Why now: swapping these models after data exists is painful.
"""

from django.db import models
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractApplication,
    AbstractGrant,
    AbstractIDToken,
    AbstractRefreshToken,
)

CONNECTION = "mcp_server.AgentConnection"


class Application(AbstractApplication):
    """A client program that may ask for a grant."""

    class Meta(AbstractApplication.Meta):
        swappable = "OAUTH2_PROVIDER_APPLICATION_MODEL"


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
