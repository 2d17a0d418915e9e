"""Payouts, their history, and when a merchant wants them made."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from chains.models import Transfer
from core.clock import now
from core.columns import BaseUnitsColumn, UsdColumn
from core.models import Leased, StatefulModel, TransitionRecord
from core.money import ZERO_USD
from merchants.principal import MERCHANT
from merchants.querysets import ScopedManager
from payments.models import MAX_NAME, PaymentIntent, Tenant
from payouts.states import OVER, PayoutStatus


class PayoutPolicy(Tenant):
    """How a merchant is paid out in one mode. Without a row: only when somebody asks.

    ``at_settle_since``: every intent that settles from then on is paid out by itself. ``swept_until``: intents settled
    before were seen to. ``look_at``: since when a worker should look for more of them, or how long one has it; None
    where nothing settled since the last look, and then one looks at ``again_at``. ``paused_at``: nothing new is sent.
    """

    at_settle_since = models.DateTimeField(null=True, blank=True)
    swept_until = models.DateTimeField(null=True, blank=True)
    look_at = models.DateTimeField(null=True, blank=True)
    again_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["merchant", "mode"], name="one_payout_policy")]
        indexes: ClassVar = [
            models.Index(fields=["look_at"], condition=Q(look_at__isnull=False), name="payout_policy_due"),
            models.Index(
                fields=["again_at"], condition=Q(look_at=None, again_at__isnull=False), name="payout_policy_rested"
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"payout policy of merchant {self.merchant_id} ({self.mode})"


class Payout(Tenant, StatefulModel, Leased):
    """The disbursement of one settled intent, or of what came for it after the one before. ``next_attempt_at`` is when
    it is looked at.

    ``less_refunds_usd``: what refunds held or had sent back when it was made, and it leaves to them.
    ``retry_at`` is the next attempt as it is shown, and no test clock moves it. ``attempts_before`` were made before
    the last replay, which renews the budget. ``transfer`` is the newest one made for it; none on the rail ``direct``.
    ``maker`` is whose room the idempotency key lies in.
    ``created_by`` is an actor; ``released_by`` the one who let it go although its maker may not send it any more;
    ``destination_released_by`` the one who let it go to an address that is not the merchant's any more.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    intent = models.ForeignKey(PaymentIntent, on_delete=models.PROTECT, null=True, related_name="payouts")
    rail = models.CharField(max_length=16)
    destination = models.CharField(max_length=MAX_NAME)
    chain = models.CharField(max_length=MAX_NAME)
    token = models.CharField(max_length=MAX_NAME)
    token_address = models.CharField(max_length=MAX_NAME, blank=True)
    token_decimals = models.PositiveSmallIntegerField()
    base_units = BaseUnitsColumn()
    amount_usd = UsdColumn()
    less_refunds_usd = UsdColumn(default=ZERO_USD)
    currency = models.CharField(max_length=3, default="USD")
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT, null=True, related_name="+")
    tx_hash = models.CharField(max_length=128, blank=True)
    failure_reason = models.CharField(max_length=40, blank=True)
    attempts_before = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField(null=True)
    maker = models.CharField(max_length=80, default=MERCHANT)
    idempotency_key = models.CharField(max_length=255, blank=True)
    created_by = models.CharField(max_length=80, blank=True)
    released_by = models.CharField(max_length=80, blank=True)
    destination_released_by = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(default=now)
    updated_at = models.DateTimeField(default=now)
    paid_at = models.DateTimeField(null=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=PayoutStatus.values), name="payout_status_known"),
            models.UniqueConstraint(
                fields=["intent"],
                condition=Q(intent__isnull=False) & ~Q(status__in=OVER),
                name="one_open_payout_per_intent",
            ),
            models.UniqueConstraint(
                fields=["merchant", "mode", "maker", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_payout_per_idempotency_key",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["merchant", "mode", "-created_at", "-id"], name="payout_list"),
            models.Index(fields=["merchant", "mode", "status", "-created_at", "-id"], name="payout_list_by_status"),
            models.Index(fields=["intent", "-created_at"], name="payout_of_intent"),
            models.Index(fields=["next_attempt_at"], condition=Q(next_attempt_at__isnull=False), name="payout_due"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"payout {self.pk} {self.status}"


class PayoutTransition(TransitionRecord):
    """One line of a payout's history."""

    subject = models.ForeignKey(Payout, on_delete=models.CASCADE, related_name="history")
