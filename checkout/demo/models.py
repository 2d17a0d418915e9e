"""What the demo shop keeps: its webhook secret, its orders, and the requests that came in.

It stands for a merchant's own database, so nothing here is read by the service itself.
"""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.columns import UsdColumn
from core.modes import Mode
from merchants.models import Merchant


class DemoShop(models.Model):
    """The shop of one merchant: test mode only, by a constraint of the database."""

    merchant = models.OneToOneField(Merchant, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices, default=Mode.TEST)
    endpoint_id = models.UUIDField()
    sealed_secret = models.BinaryField()
    opened_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=Q(mode=Mode.TEST), name="demo_shop_test_mode_only")]

    def __str__(self) -> str:
        """Whose shop it is."""
        return f"demo shop of merchant {self.merchant_id}"


class DemoOrder(models.Model):
    """Something a visitor bought. It is paid when a verified webhook said so, and not before."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    shop = models.ForeignKey(DemoShop, on_delete=models.CASCADE, related_name="orders")
    product = models.CharField(max_length=32)
    price_usd = UsdColumn()
    intent_id = models.UUIDField()
    created_at = models.DateTimeField(default=now)
    paid_at = models.DateTimeField(null=True, blank=True)
    ended_as = models.CharField(max_length=16, blank=True)

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.product} {self.id}"


class Verdict(models.TextChoices):
    """What the shop made of a request."""

    ACCEPTED = "accepted"
    REPEATED = "repeated"
    REFUSED = "refused"


class DemoDelivery(models.Model):
    """A request as it came, and every step of the check."""

    shop = models.ForeignKey(DemoShop, on_delete=models.CASCADE, related_name="deliveries")
    order = models.ForeignKey(DemoOrder, on_delete=models.CASCADE, null=True, blank=True, related_name="deliveries")
    event_id = models.CharField(max_length=64, blank=True)
    event_type = models.CharField(max_length=64, blank=True)
    headers = models.JSONField()
    raw_body = models.BinaryField()
    steps = models.JSONField()
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    received_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["shop", "event_id"], condition=Q(verdict=Verdict.ACCEPTED), name="demo_event_accepted_once"
            )
        ]

    def __str__(self) -> str:
        """What came and what was made of it."""
        return f"{self.event_type or 'unreadable'}: {self.verdict}"
