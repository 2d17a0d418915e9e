"""What became of routes, day by day, and the failure shares that the score may count with."""

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.columns import UsdColumn
from core.money import ZERO_USD
from payments.models.intents import MAX_NAME


class RouteFigures(models.Model):
    """Of one day and one route, what was shown before signing and what came of it. Nobody's payment can be read here.

    Units: ``shown_within`` is the upper end, in seconds, of the times that were shown, 0 for longer ones;
    ``surplus_ppm`` the sum of what arrived above the guaranteed amount, in millionths of it; costs are those of the
    ``compared`` payments alone, for which another route would have worked. ``merchants``: how many had one of these.
    """

    mode = models.CharField(max_length=4)
    day = models.DateField()
    provider = models.CharField(max_length=32)
    kind = models.CharField(max_length=12)
    chain = models.CharField(max_length=MAX_NAME)
    to_chain = models.CharField(max_length=MAX_NAME)
    token = models.CharField(max_length=MAX_NAME)
    to_token = models.CharField(max_length=MAX_NAME)
    shown_within = models.PositiveIntegerField()
    confirmed = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    merchants = models.PositiveIntegerField(default=0)
    shown_seconds = models.BigIntegerField(default=0)
    took_milliseconds = models.BigIntegerField(default=0)
    in_time = models.PositiveIntegerField(default=0)
    in_twice_the_time = models.PositiveIntegerField(default=0)
    short = models.PositiveIntegerField(default=0)
    surplus_ppm = models.BigIntegerField(default=0)
    compared = models.PositiveIntegerField(default=0)
    cost_usd = UsdColumn(default=ZERO_USD)
    best_other_cost_usd = UsdColumn(default=ZERO_USD)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["mode", "day", "provider", "kind", "chain", "to_chain", "token", "to_token", "shown_within"],
                name="route_figures_of_a_day_once",
            )
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.provider} from {self.chain} on {self.day}"


class RouteRisks(models.Model):
    """Failure shares by route, what a replay of kept payments said of them, and whether the score counts with them.

    ``shares``: a list of ``{provider, chain, to_chain, share}``, the share as a decimal string. Source: docs/adr/0117.
    """

    mode = models.CharField(max_length=4)
    made_at = models.DateTimeField(default=now)
    shares = models.JSONField(default=list)
    replay = models.JSONField(default=dict)
    adopted_at: "models.DateTimeField[datetime | None, datetime | None]" = models.DateTimeField(null=True)
    ended_at: "models.DateTimeField[datetime | None, datetime | None]" = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["mode"],
                condition=Q(adopted_at__isnull=False, ended_at__isnull=True),
                name="one_set_of_route_risks_counts",
            )
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"risks of {self.mode} routes, {self.made_at:%Y-%m-%d %H:%M}"
