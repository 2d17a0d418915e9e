"""What somebody reported of a leg's transaction, and what became of it."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from payments.models.money import Leg


class Reporter(models.TextChoices):
    """Who reported it. ``link``: somebody with the payment's link, where the attempt belongs to no browser."""

    BROWSER = "browser"
    WALLET = "wallet"
    LINK = "link"
    SIMULATED_PAYER = "simulated_payer"


class Verdict(models.TextChoices):
    """What was found of it. ``found``: it is the leg's own transaction; every other one ends the hint.

    ``lost``: nowhere for ten minutes; ``unreadable``: the same, and no node could say what it is.
    """

    FOUND = "found"
    FOREIGN = "foreign"
    REVERTED = "reverted"
    LOST = "lost"
    REPLACED = "replaced"
    UNREADABLE = "unreadable"


class Hint(models.Model):
    """A hash that was reported for a leg: where to look, never that money arrived.

    Open while it has no verdict. ``claim`` is the wallet's signature that it made this payment by that transaction.
    ``checked_at`` is when its chain was last asked about it. Source: docs/adr/0066.
    """

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="hints")
    tx_hash = models.CharField(max_length=128)
    claim = models.TextField(blank=True)
    by = models.CharField(max_length=16, choices=Reporter.choices)
    reported_at = models.DateTimeField(default=now)
    verdict = models.CharField(max_length=12, blank=True)
    checked_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["leg", "tx_hash"], name="a_hash_is_a_legs_hint_once"),
            models.CheckConstraint(condition=Q(verdict__in=["", *Verdict.values]), name="hint_verdict_known"),
            models.CheckConstraint(condition=Q(by__in=Reporter.values), name="hint_reporter_known"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.tx_hash} of leg {self.leg_id}"
