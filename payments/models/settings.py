"""How a merchant wants its payments handled: changes of where they settle, and its policy for what is not exact."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.models import Leased, StatefulModel
from merchants.querysets import ScopedManager
from payments.models.intents import Tenant
from payments.states import SettlementChangeStatus


class FinalityPolicy(models.TextChoices):
    """How surely money must stand beyond what the operator's table asks for. The words are those of the chains."""

    TABLE = ""
    SAFE = "safe"
    FINALIZED = "finalized"


class LatePolicy(models.TextChoices):
    """What becomes of money that arrives after an intent expired."""

    HOLD = "hold"
    SETTLE = "settle"
    REFUND = "refund"


class PaymentPolicy(Tenant):
    """How a merchant wants its payments judged in one mode. Without a row, and where empty: the contract's defaults.

    Units: ``tolerance_bps`` are hundredths of a percent, of what crossed a bridge. ``late_since``: money seen from
    then on is sent back where ``late`` says so. Rows are never deleted: invariants go by them.
    """

    tolerance_bps = models.PositiveSmallIntegerField(null=True, blank=True)
    finality = models.CharField(max_length=12, choices=FinalityPolicy.choices, blank=True)
    late = models.CharField(max_length=8, choices=LatePolicy.choices, default=LatePolicy.HOLD)
    late_since = models.DateTimeField(null=True, blank=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["merchant", "mode"], name="one_payment_policy"),
            models.CheckConstraint(
                condition=Q(tolerance_bps__isnull=True) | Q(tolerance_bps__lte=500), name="payment_tolerance_bounded"
            ),
            models.CheckConstraint(condition=Q(late__in=LatePolicy.values), name="payment_late_policy_known"),
            models.CheckConstraint(condition=Q(finality__in=FinalityPolicy.values), name="payment_finality_known"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"payment policy of merchant {self.merchant_id} ({self.mode})"


class SettlementChange(Tenant, StatefulModel, Leased):
    """A wish to send money elsewhere, which waits. ``next_attempt_at`` is when it is looked at; the row is the queue.

    ``part`` is what it changes: a chain family, ``default`` or ``lock``. ``before`` and ``after`` hold what may be
    shown of it. ``leads`` are the owners and admins of the moment it was asked for: they alone may confirm it early.
    Actors are written as in histories: ``user:3``.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    part = models.CharField(max_length=8)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    leads = models.JSONField(default=list)
    requested_by = models.CharField(max_length=80)
    requested_from = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=now)
    effective_at = models.DateTimeField()
    confirmed_by = models.CharField(max_length=80, blank=True)
    ended_by = models.CharField(max_length=80, blank=True)
    ended_at = models.DateTimeField(null=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=SettlementChangeStatus.values), name="settlement_change_status_known"
            ),
            models.UniqueConstraint(
                fields=["merchant", "mode", "part"],
                condition=Q(status=SettlementChangeStatus.WAITING),
                name="one_settlement_change_waits_per_part",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["next_attempt_at"], condition=Q(next_attempt_at__isnull=False), name="settlement_change_due"
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.part} of merchant {self.merchant_id} ({self.mode}), {self.status}"
