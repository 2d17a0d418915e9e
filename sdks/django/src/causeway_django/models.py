"""What the events of the service say: payments, refunds and payouts, and the events that came.

A row follows the event with the greatest ``sequence``, in whichever order they arrive.
"""

from __future__ import annotations

from django.db import models

OPEN = frozenset({"created", "requires_payment", "quoted", "awaiting_signature", "executing", "partially_filled"})
"""A payer may still pay, or has begun to."""
CLOSED = frozenset({"failed", "expired", "cancelled"})
"""Over, and not paid."""


class ReceivedEvent(models.Model):
    """An event that was taken, so that it is not taken twice. Rows of more than 60 days may be deleted."""

    id = models.CharField(primary_key=True, max_length=64)
    type = models.CharField(max_length=64, db_index=True)
    resource_type = models.CharField(max_length=32)
    resource_id = models.CharField(max_length=64, db_index=True)
    sequence = models.PositiveBigIntegerField()
    mode = models.CharField(max_length=4)
    created_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["-received_at", "id"]

    def __str__(self) -> str:
        return f"{self.type} {self.id}"


class Followed(models.Model):
    """What the tables of resources have in common."""

    id = models.CharField(primary_key=True, max_length=64)
    mode = models.CharField(max_length=4)
    status = models.CharField(max_length=32, db_index=True)
    failure_reason = models.CharField(max_length=64, blank=True)
    sequence = models.PositiveBigIntegerField(default=0)
    """The newest event's; 0 before the first one."""
    changed_at = models.DateTimeField(null=True, blank=True)
    """When the newest event happened, by the service's clock."""
    stored_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        abstract = True
        ordering = ["-stored_at", "id"]

    def __str__(self) -> str:
        return f"{self.id} {self.status}"


class Payment(Followed):
    """A payment intent. Units: US dollars."""

    reference = models.CharField(max_length=128, blank=True, db_index=True)
    """Your order number."""
    amount = models.DecimalField(max_digits=20, decimal_places=6)
    amount_received = models.DecimalField(max_digits=20, decimal_places=6, default=0)
    currency = models.CharField(max_length=3, default="USD")
    checkout_url = models.CharField(max_length=500, blank=True)
    """Where the payer pays; empty for a payment that was made elsewhere."""
    metadata = models.JSONField(default=dict, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    was_announced = models.BooleanField(default=False, editable=False)
    """Whether ``payment_settled`` was sent, which happens once."""

    @property
    def is_paid(self) -> bool:
        """Whether its money is there now."""
        return self.status == "settled"


class Refund(Followed):
    """Money on its way back to a payer. Units: US dollars."""

    payment_id = models.CharField(max_length=64, db_index=True)
    """The payment's id. Why no foreign key: a refund's event may come before any of its payment."""
    amount = models.DecimalField(max_digits=20, decimal_places=6)
    reason = models.TextField(blank=True)
    tx_hash = models.CharField(max_length=128, blank=True)
    paid_at = models.DateTimeField(null=True, blank=True)


class Payout(Followed):
    """Money on its way to you. Units: US dollars."""

    payment_id = models.CharField(max_length=64, blank=True, db_index=True)
    amount = models.DecimalField(max_digits=20, decimal_places=6)
    destination = models.CharField(max_length=128)
    tx_hash = models.CharField(max_length=128, blank=True)
    paid_at = models.DateTimeField(null=True, blank=True)
