"""What the service remembers of blockchains: which network this database belongs to, and a simulated chain."""

from typing import ClassVar

from django.db import models

from core.clock import now
from core.columns import BaseUnitsColumn


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
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.tx_hash} on {self.chain}"
