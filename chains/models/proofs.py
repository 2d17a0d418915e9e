"""What on a chain proves that a transfer was made: each event there can prove one transfer, ever."""

from typing import ClassVar

from django.db import models

from chains.models.transfers import MAX_NAME, Transfer
from core.clock import now
from core.columns import BaseUnitsColumn


class OwnerKind(models.TextChoices):
    """What an event on a chain counts as: money that came in, or the proof of a transfer that went out."""

    CREDIT = "credit"
    PROOF = "proof"


class EventOwner(models.Model):
    """Whose one event on a chain is: it can be a credit or a proof, never both, and each once.

    Written in the transaction of the row that it stands for. Why no reference to that row: it has the same key in its
    own table. Source: docs/adr/0044.
    """

    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=MAX_NAME)
    tx_hash = models.CharField(max_length=128)
    kind = models.CharField(max_length=12)
    position = models.CharField(max_length=64)
    owner = models.CharField(max_length=8, choices=OwnerKind.choices)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["network", "chain", "tx_hash", "kind", "position"], name="one_owner_per_chain_event"
            )
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.owner} in {self.tx_hash}"


class TransferProof(models.Model):
    """The one event by which a transfer counts as paid.

    ``position`` is the place among the transaction's logs, trace path or token account. The key is that of credits;
    ``EventOwner`` keeps the two apart, since ``chains`` knows no intents. Source: docs/adr/0044.
    """

    transfer = models.OneToOneField(Transfer, on_delete=models.PROTECT, related_name="proof")
    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=MAX_NAME)
    tx_hash = models.CharField(max_length=128)
    kind = models.CharField(max_length=12)
    position = models.CharField(max_length=64)
    base_units = BaseUnitsColumn()
    block_number = models.BigIntegerField()
    block_hash = models.CharField(max_length=128)
    recorded_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["network", "chain", "tx_hash", "kind", "position"], name="one_transfer_per_chain_event"
            )
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.base_units} in {self.tx_hash}"
