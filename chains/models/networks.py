"""Which network this database belongs to, and how far its chains were read."""

from typing import ClassVar

from django.db import models

from core.clock import now


class NetworkProfile(models.Model):
    """The one network this database serves, fixed at first start.

    Why: play money can never settle a live intent if a database never changes networks.
    """

    profile = models.CharField(max_length=12, primary_key=True)
    fixed_at = models.DateTimeField(default=now)
    pins = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.profile


class ScanCursor(models.Model):
    """How far a chain has been read for credits."""

    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=32)
    position = models.BigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["network", "chain"], name="one_cursor_per_chain")]

    def __str__(self) -> str:
        return f"{self.chain} up to {self.position}"
