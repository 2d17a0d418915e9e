"""The OAuth tables, ours from the first migration, so that a grant can be bound to one merchant and one mode.

Why now: swapping these models after data exists is painful.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractApplication,
    AbstractGrant,
    AbstractIDToken,
    AbstractRefreshToken,
)

from core.clock import now
from core.modes import Mode


class Application(AbstractApplication):
    """A client program that may ask for a grant."""

    class Meta(AbstractApplication.Meta):
        swappable = "OAUTH2_PROVIDER_APPLICATION_MODEL"


class AgentConnection(models.Model):
    """One merchant's grant to one client in one mode; revoking it revokes everything issued under it."""

    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.CASCADE, related_name="agent_connections")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agent_connections")
    application = models.ForeignKey(settings.OAUTH2_PROVIDER_APPLICATION_MODEL, on_delete=models.CASCADE)
    scopes = models.JSONField(default=list)
    limits = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=now)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(mode__in=Mode.values), name="agent_connection_mode_known")
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"connection {self.pk} in {self.mode} mode"


class Grant(AbstractGrant):
    """An authorization code."""

    connection = models.ForeignKey(AgentConnection, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(AbstractGrant.Meta):
        swappable = "OAUTH2_PROVIDER_GRANT_MODEL"


class AccessToken(AbstractAccessToken):
    """A short-lived access token."""

    connection = models.ForeignKey(AgentConnection, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(AbstractAccessToken.Meta):
        swappable = "OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL"


class RefreshToken(AbstractRefreshToken):
    """A rotating refresh token."""

    connection = models.ForeignKey(AgentConnection, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(AbstractRefreshToken.Meta):
        swappable = "OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL"


class IDToken(AbstractIDToken):
    """Present because the library's token table refers to one; no identity tokens are issued."""

    class Meta(AbstractIDToken.Meta):
        swappable = "OAUTH2_PROVIDER_ID_TOKEN_MODEL"
