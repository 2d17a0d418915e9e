"""What of a payment's history is sealed, and which payments wait for a seal."""

from typing import ClassVar
from uuid import UUID

from django.db import models

from core.append_only import AppendOnlyModel, GrowsOnly
from core.clock import now
from core.models import Leased
from payments.models import PaymentIntent


class RecordSeals(GrowsOnly, models.QuerySet["RecordSeal"]):
    """Seals that can be read and added."""


class RecordSeal(AppendOnlyModel):
    """The next entries of a payment's flight record, and the signature over all up to them. Never changed.

    ``entries`` are compressed: the entries as they were when they were sealed, which is what the hashes are over.
    Why stored, and not only their digest: routes and deliveries are purged, and a later release may write other words.
    ``statement`` is the exact text that was signed. Source: docs/adr/0113.
    """

    intent = models.ForeignKey(PaymentIntent, on_delete=models.PROTECT, related_name="seals", db_index=False)
    number = models.PositiveIntegerField()
    entries = models.BinaryField()
    statement = models.TextField()
    key_id = models.CharField(max_length=24)
    signature = models.CharField(max_length=128)
    created_at = models.DateTimeField(default=now)

    objects: ClassVar = models.Manager.from_queryset(RecordSeals)()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["intent", "number"], name="record_seals_are_numbered"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"seal {self.number} of {self.intent_id}"


class SealBacklog(models.Model):
    """How far the receipts that payments of before lack were asked for: one row. ``after``: the last payment seen to.

    ``passes``: how often all payments were gone through. Source: docs/adr/0120.
    """

    began_at = models.DateTimeField(default=now)
    after = models.UUIDField(default=UUID(int=0))
    passes = models.PositiveSmallIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        """How far it is."""
        return f"asked for seals up to {self.after}"


class AwaitedSeal(Leased):
    """That a payment's record waits to be sealed, from ``next_attempt_at`` on. The settlement itself writes it."""

    intent = models.OneToOneField(
        PaymentIntent, on_delete=models.CASCADE, primary_key=True, related_name="awaited_seal"
    )

    class Meta:
        indexes: ClassVar = [models.Index(fields=["next_attempt_at"], name="awaited_seal_due")]

    def __str__(self) -> str:
        """Which one, and when."""
        return f"{self.pk} at {self.next_attempt_at}"
