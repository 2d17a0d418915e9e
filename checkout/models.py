"""Tables of the payer's door: how a merchant's checkout looks, and what the demo shop keeps."""

import uuid
from typing import ClassVar

from django.db import models

from checkout.branding.sheets import DEFAULT_ACCENT, Style
from checkout.demo.models import DemoDelivery, DemoOrder, DemoShop
from core.clock import now
from merchants.models import Merchant

__all__ = ["Branding", "DemoDelivery", "DemoOrder", "DemoShop"]


class Branding(models.Model):
    """How a merchant's checkout looks, in both modes. Without a row: as the service does.

    ``handle`` stands in public addresses, ``version`` grows with each change so that browsers may keep what they have.
    ``logo`` holds the bytes of a picture that was checked.
    """

    merchant = models.OneToOneField(Merchant, on_delete=models.CASCADE, related_name="+")
    handle = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    version = models.PositiveIntegerField(default=0)
    display_name = models.CharField(max_length=60, blank=True)
    accent = models.CharField(max_length=7, default=DEFAULT_ACCENT)
    shape = models.CharField(max_length=8, default="round")
    font = models.CharField(max_length=8, default="system")
    support_email = models.EmailField(max_length=254, blank=True)
    support_url = models.CharField(max_length=2048, blank=True)
    terms_url = models.CharField(max_length=2048, blank=True)
    privacy_url = models.CharField(max_length=2048, blank=True)
    logo = models.BinaryField(null=True, blank=True)
    logo_type = models.CharField(max_length=16, blank=True)
    logo_width = models.PositiveIntegerField(default=0)
    logo_height = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(default=now)

    objects: ClassVar = models.Manager()

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"look of merchant {self.merchant_id}, version {self.version}"

    @property
    def style(self) -> Style:
        """What its style sheet is made of."""
        return Style(accent=self.accent, shape=self.shape, font=self.font)
