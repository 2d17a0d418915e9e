"""A chain in a table: what test mode and the test suite send to and read from."""

from typing import ClassVar

from django.db import models

from core.clock import now
from core.columns import BaseUnitsColumn


class SimulatedRole(models.TextChoices):
    """What a simulated transaction is for. ``WHOLE`` pays and delivers in one, as a transfer on one chain does."""

    WHOLE = "whole"
    SOURCE = "source"
    DELIVERY = "delivery"
    RETURN = "return"


class SimulatedTransaction(models.Model):
    """One transaction of the simulated chain: test mode and the test suite read the same table.

    ``owner`` is opaque here; it lets the test clock move one merchant's world. ``tag`` names the leg.
    ``behaviour`` scripts what the chain does with it. Null in ``lands_at``: never. From ``gone_from`` it is not
    on the chain, until ``gone_until``, or for ever where that is null. Only these three move with the test
    clock once the transaction has landed: ``block_time`` is what the block says.
    """

    chain = models.CharField(max_length=128)
    tx_hash = models.CharField(max_length=128, unique=True)
    owner = models.CharField(max_length=64)
    tag = models.CharField(max_length=64)
    role = models.CharField(max_length=8, choices=SimulatedRole.choices)
    behaviour = models.CharField(max_length=24)
    sender = models.CharField(max_length=128)
    recipient = models.CharField(max_length=128)
    token = models.CharField(max_length=128)
    base_units = BaseUnitsColumn()
    lands_at = models.DateTimeField(null=True)
    gone_from = models.DateTimeField(null=True)
    gone_until = models.DateTimeField(null=True)
    block_time = models.DateTimeField()
    created_at = models.DateTimeField(default=now)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["tag"], name="simulated_by_tag"),
            models.Index(fields=["owner"], name="simulated_by_owner"),
            models.Index(fields=["created_at"], name="simulated_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.tx_hash} on {self.chain}"
