"""The web pages that may use a merchant's publishable keys and frames, and those that tried without being listed."""

from typing import ClassVar

from django.db import models

from core.clock import now
from core.modes import Mode
from merchants.models.people import Merchant
from merchants.querysets import ScopedManager

ORIGIN_LENGTH = 300


class AllowedOrigin(models.Model):
    """An origin as browsers send it, perhaps with ``*.`` before the host."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    origin = models.CharField(max_length=ORIGIN_LENGTH)
    created_at = models.DateTimeField(default=now)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["merchant", "mode", "origin"], name="allowed_origin_once"),
        ]

    def __str__(self) -> str:
        """The origin."""
        return self.origin


class RefusedOrigin(models.Model):
    """An origin that was not listed, and how often it tried. The last few of a merchant and mode are kept."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    origin = models.CharField(max_length=ORIGIN_LENGTH)
    times = models.BigIntegerField(default=0)
    first_at = models.DateTimeField(default=now)
    last_at = models.DateTimeField(default=now)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["merchant", "mode", "origin"], name="refused_origin_once"),
        ]

    def __str__(self) -> str:
        """The origin."""
        return self.origin
