"""The intent itself, its history, and where a merchant wants to be paid."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from core.clock import now
from core.columns import OptionalBaseUnitsColumn, OptionalUsdColumn, UsdColumn
from core.json_column import ExactJSONColumn
from core.models import StatefulModel, TransitionRecord
from core.modes import Mode
from core.money import ZERO_USD
from merchants.models import Merchant
from merchants.querysets import MerchantScoped
from payments.states import UNPAID, UNSOLD, IntentStatus

MAX_NAME = 128
"""Longest chain, token or address text that test mode accepts."""


class Tenant(models.Model):
    """A row of one merchant in one mode."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)

    class Meta:
        abstract = True


class SettlementProfile(Tenant):
    """Where a merchant wants to be paid when an intent does not say, per chain family.

    ``proven_on`` is the one chain whose contract proved the address; empty where a key did, which holds everywhere.
    """

    family = models.CharField(max_length=8)
    chain = models.CharField(max_length=MAX_NAME)
    token = models.CharField(max_length=32)
    address = models.CharField(max_length=MAX_NAME)
    is_default = models.BooleanField(default=False)
    locked = models.BooleanField(default=False)
    proven_at = models.DateTimeField(null=True, blank=True)
    proven_on = models.CharField(max_length=MAX_NAME, blank=True)
    created_at = models.DateTimeField(default=now)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["merchant", "mode", "family"], name="one_settlement_profile_per_family"),
            models.UniqueConstraint(
                fields=["merchant", "mode"], condition=Q(is_default=True), name="one_default_settlement_profile"
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.token} on {self.chain}"


class PaymentIntent(Tenant, StatefulModel):
    """A merchant's wish to be paid an amount in one asset at one address.

    ``expires_at`` is what is shown; ``expires_due_at`` is what the service acts on (a test clock moves only that).
    When a worker looks at it next stands in ``QueuedIntent``.
    ``refunded_usd`` is what was sent back, ``returned_usd`` also what a refund holds that is not over.
    ``settled_less_usd`` is what had gone back when it settled, and what was asked for while a reorganisation had
    unsettled it; null: it never settled. ``owed_usd``: so much more left than its chain still shows, since a
    reorganisation took a payment away. ``target_base_units`` is the amount at the frozen rate, which new quotes keep
    until ``rate_until``: see ``payments.services.rate``.
    """

    # Why no index of its own: ``intent_list`` begins with it, and each create writes every index.
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    amount = UsdColumn()
    currency = models.CharField(max_length=3, default="USD")
    settlement_chain = models.CharField(max_length=MAX_NAME)
    settlement_token = models.CharField(max_length=MAX_NAME)
    settlement_token_address = models.CharField(max_length=MAX_NAME, blank=True)
    settlement_decimals = models.PositiveSmallIntegerField()
    settlement_address = models.CharField(max_length=MAX_NAME)
    customer_email = models.EmailField(max_length=254, null=True, blank=True)  # noqa: DJ001 - null on the wire
    metadata = ExactJSONColumn(default=dict)
    reference = models.CharField(max_length=128, blank=True)
    return_url = models.CharField(max_length=2048, blank=True)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    expires_due_at = models.DateTimeField()

    target_base_units = OptionalBaseUnitsColumn(null=True)
    rate_until = models.DateTimeField(null=True)
    received_usd = UsdColumn(default=ZERO_USD)
    overpaid_usd = UsdColumn(default=ZERO_USD)
    refunded_usd = UsdColumn(default=ZERO_USD)
    returned_usd = UsdColumn(default=ZERO_USD)
    settled_less_usd = OptionalUsdColumn(null=True)
    owed_usd = UsdColumn(default=ZERO_USD)
    platform_fee_usd = OptionalUsdColumn(null=True)
    net_settlement_usd = OptionalUsdColumn(null=True)
    in_doubt = models.BooleanField(default=False)
    last_error_code = models.CharField(max_length=40, blank=True)
    last_error_message = models.CharField(max_length=300, blank=True)
    failure_reason = models.CharField(max_length=40, blank=True)
    settled_at = models.DateTimeField(null=True)
    settled_reason = models.CharField(max_length=24, blank=True)
    cancelled_at = models.DateTimeField(null=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=IntentStatus.values), name="intent_status_known"),
            models.CheckConstraint(condition=Q(mode__in=Mode.values), name="intent_mode_known"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="intent_amount_above_zero"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["merchant", "mode", "-created_at", "-id"], name="intent_list"),
            models.Index(
                fields=["merchant", "mode", "status", "-created_at", "-id", "amount"], name="intent_list_by_status"
            ),
            models.Index(
                fields=["merchant", "mode", "reference", "-created_at", "-id"],
                condition=~Q(reference=""),
                name="intent_by_reference",
            ),
            models.Index(
                fields=["merchant", "mode", "customer_email", "-created_at", "-id"],
                condition=Q(customer_email__isnull=False),
                name="intent_by_email",
            ),
            models.Index(
                fields=["merchant", "mode", "settlement_address", "-created_at", "-id"], name="intent_by_address"
            ),
            models.Index(
                # Why the second, which always holds: else lists of such a status would be read by this index.
                fields=["expires_due_at"],
                condition=Q(status__in=UNPAID, expires_due_at__isnull=False),
                name="intent_expires",
            ),
            models.Index(
                fields=["merchant", "mode", "settled_at", "received_usd"],
                condition=Q(settled_at__isnull=False),
                name="intent_settled",
            ),
            models.Index(
                fields=["merchant", "mode", "id"],
                condition=Q(status__in=UNSOLD, received_usd__gt=F("refunded_usd")),
                name="intent_owed",
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.pk} {self.status}"


class IntentTransition(TransitionRecord):
    """One line of an intent's history."""

    subject = models.ForeignKey(PaymentIntent, on_delete=models.CASCADE, related_name="history")
