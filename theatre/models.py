"""Replays: a scenario that somebody wants played, and what it showed."""

import uuid
from typing import ClassVar

from django.db import models

from core.clock import now
from core.models import Leased
from merchants.querysets import MerchantScoped
from payments.models import Tenant


class Verdict(models.TextChoices):
    """What a replay came to. ``same``: the file's end; ``broken``: what the file asks for cannot be."""

    SAME = "same"
    DIFFERS = "differs"
    BROKEN = "broken"


class Replay(Tenant, Leased):
    """A scenario to be played, and then what it showed. ``next_attempt_at`` is when a worker plays it; none: it did.

    ``steps``, ``differences``: as ``theatre.play`` has them. ``problem``: why it broke. Source: docs/adr/0118.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120, blank=True)
    scenario = models.JSONField()
    steps = models.JSONField(default=list)
    differences = models.JSONField(default=list)
    took_the_same_way = models.BooleanField(default=False)
    verdict = models.CharField(max_length=8, blank=True)
    problem = models.CharField(max_length=300, blank=True)
    created_by = models.CharField(max_length=80)
    created_at = models.DateTimeField(default=now)
    played_at = models.DateTimeField(null=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(verdict__in=["", *Verdict.values]), name="replay_verdict_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["merchant", "mode", "-created_at", "-id"], name="replay_list"),
            models.Index(fields=["created_at"], name="replay_by_age"),
            models.Index(
                fields=["next_attempt_at"], condition=models.Q(next_attempt_at__isnull=False), name="replay_due"
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"replay {self.pk} {self.verdict}".rstrip()
