"""Which authorization codes were presented already."""

from typing import ClassVar

from django.db import models

from core.clock import now


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
