"""The OAuth tables, ours from the first migration, so that a grant can be bound to one merchant and one mode.

Why now: swapping these models after data exists is painful.
"""

from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractApplication,
    AbstractGrant,
    AbstractIDToken,
    AbstractRefreshToken,
)

from core.clock import now
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


class UsedCode(models.Model):
    """An authorization code that was presented once, whether or not it was worth anything.

    ``token_family`` is what was issued for it, so that a second presentation can revoke just that. Why kept: OAuth 2.1
    asks for it. The code itself is kept as a digest only.
    """

    digest = models.CharField(max_length=64, unique=True)
    client_id = models.CharField(max_length=255)
    connection_id = models.BigIntegerField(null=True)
    token_family = models.UUIDField()
    used_at = models.DateTimeField(default=now, db_index=True)

    objects: ClassVar = models.Manager()

    def __str__(self) -> str:
        """Whose it was."""
        return f"a code of {self.client_id}"


class AnsweredConsent(models.Model):
    """One form of the consent page that was answered. Why a row: two answers at once must not both count."""

    nonce = models.CharField(primary_key=True, max_length=43)
    answered_at = models.DateTimeField(default=now, db_index=True)

    def __str__(self) -> str:
        """Its number."""
        return f"answered consent {self.nonce}"


class ClientDocument(models.Model):
    """A client's metadata document. The row is the queue: it is read by a worker when ``next_attempt_at`` has come.

    ``body`` is what was read, unchecked and untrusted; ``problem`` is why nothing was, in one word.
    Source: https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/; docs/adr/0021.
    """

    url = models.CharField(max_length=255, unique=True)
    body = models.TextField(blank=True)
    problem = models.CharField(max_length=40, blank=True)
    wanted_at = models.DateTimeField(default=now)
    read_at = models.DateTimeField(null=True, blank=True)
    fresh_until = models.DateTimeField(null=True, blank=True)
    next_attempt_at = models.DateTimeField(null=True, blank=True, db_index=True)

    objects: ClassVar = models.Manager()

    def __str__(self) -> str:
        """Whose it is."""
        return self.url
