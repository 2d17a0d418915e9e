"""The keys that programs of a merchant call with, and the web pages that may use its publishable ones, or tried to."""

from typing import ClassVar

from django.db import models

from core.clock import now
from core.modes import Mode
from merchants.models.people import Merchant
from merchants.querysets import MerchantScoped, ScopedManager

ORIGIN_LENGTH = 300


class KeyKind(models.TextChoices):
    """Secret keys act for the merchant, publishable ones start a checkout, restricted ones have scopes."""

    SECRET = "sk"  # noqa: S105 - a prefix
    PUBLISHABLE = "pk"
    RESTRICTED = "rk"


class ApiKey(models.Model):
    """A credential. Secret and restricted keys are kept as a digest only; publishable ones also in clear.

    ``replaced_at``: when another key took its place; from then on it only has its grace. ``expires_at`` without it is
    an end that somebody chose. ``allowed_addresses``: networks; none means any.
    """

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="api_keys")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    kind = models.CharField(max_length=2, choices=KeyKind.choices)
    digest = models.CharField(max_length=64, unique=True)
    last_four = models.CharField(max_length=4)
    publishable_value = models.CharField(max_length=80, blank=True)
    name = models.CharField(max_length=80, blank=True)
    scopes = models.JSONField(default=list, blank=True)
    allowed_addresses = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    rolled_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    replaced_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_used_address = models.CharField(max_length=64, blank=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(mode__in=Mode.values), name="api_key_mode_known"),
            models.CheckConstraint(condition=models.Q(kind__in=KeyKind.values), name="api_key_kind_known"),
        ]
        indexes: ClassVar = [models.Index(fields=["merchant", "mode", "kind"], name="api_key_of_merchant")]

    def __str__(self) -> str:
        """Enough to recognise the key, not enough to use it."""
        return f"{self.kind}_{self.mode}_…{self.last_four}"


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
