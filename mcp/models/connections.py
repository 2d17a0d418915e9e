"""What a merchant granted to an agent, what it allows all its agents together, and what they did with money."""

from decimal import Decimal
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.clock import now
from core.columns import OptionalUsdColumn, UsdColumn
from core.modes import Mode
from core.money import UsdAmount
from merchants.models import Merchant
from merchants.querysets import ScopedManager

NOTHING = UsdAmount(Decimal(0))


class RevokedBecause(models.TextChoices):
    """Why a connection was ended by itself: what became of the person who lent it."""

    LENDER_LEFT = "lender_left"
    LENDER_ROLE = "lender_role"
    LENDER_INACTIVE = "lender_inactive"


class Pausable(models.Model):
    """What a person can stop: while ``paused_at`` is set no money leaves."""

    paused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class AgentConnection(Pausable):
    """One merchant's grant to one client in one mode; revoking it revokes everything issued under it.

    ``per_call_usd`` is the most of one refund or payout; above ``approval_above_usd`` a person is asked (null: never).
    ``expires_at`` ends it whatever was refreshed. Its client's row stays as long as it does: what was spent under a
    connection counts against limits. ``revoked_because`` is empty where somebody revoked it.
    Units: dollars in the last 24 hours; effects in the last hour. Zero dollars: none may leave.
    """

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="agent_connections")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agent_connections")
    application = models.ForeignKey(settings.OAUTH2_PROVIDER_APPLICATION_MODEL, on_delete=models.PROTECT)
    name = models.CharField(max_length=80, blank=True)
    scopes = models.JSONField(default=list)
    per_call_usd = UsdColumn(default=NOTHING)
    per_day_usd = UsdColumn(default=NOTHING)
    per_hour_count = models.PositiveIntegerField(default=60)
    approval_above_usd = OptionalUsdColumn(null=True, blank=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_because = models.CharField(max_length=16, choices=RevokedBecause.choices, blank=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(mode__in=Mode.values), name="agent_connection_mode_known")
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"connection {self.pk} in {self.mode} mode"

    @property
    def actor(self) -> str:
        """Who acts, for history and audit."""
        return f"agent:{self.pk}"


class AgentPolicy(Pausable):
    """What all agents of a merchant together may do in one mode. Its lock puts their effects one after another.

    Null: no limit beyond those of the connections. Why not zero: nothing leaves before a person gave a connection
    limits, and a second set of zeros would only have to be lifted as well.
    Units: as with connections.
    """

    per_day_usd = OptionalUsdColumn(null=True, blank=True)
    per_hour_count = models.PositiveIntegerField(null=True, blank=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["merchant", "mode"], name="one_agent_policy")]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"agent policy of merchant {self.merchant_id} ({self.mode})"


class AgentEffect(models.Model):
    """One refund or payout that an agent made, written in the same transaction as that. Limits are counted from it."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    connection = models.ForeignKey(AgentConnection, on_delete=models.CASCADE, related_name="effects")
    tool = models.CharField(max_length=40)
    amount_usd = UsdColumn()
    subject_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(default=now)

    objects: ClassVar = ScopedManager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["connection", "created_at"], name="agent_effect_by_connection"),
            models.Index(fields=["merchant", "mode", "created_at"], name="agent_effect_by_merchant"),
            models.Index(fields=["subject_id"], name="agent_effect_by_subject"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.tool} of {self.amount_usd} by connection {self.connection_id}"
