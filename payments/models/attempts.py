"""A payer and its tries: the wallet, the quote, and every route that was weighed."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.columns import OptionalBaseUnitsColumn, OptionalUsdColumn, UsdColumn
from core.models import StatefulModel
from merchants.querysets import MerchantScoped
from payments.models.intents import MAX_NAME, PaymentIntent, Tenant
from payments.states import OPEN_ATTEMPT, AttemptStatus


class PayerWallet(Tenant):
    """The wallet that a payer connected, and what the service found in it. ``tokens`` is null until looked at.

    ``unread`` names the chains that did not say in time what it holds, or whose tokens had no price while nothing else
    could pay, the last of ``looks`` times it was looked into.
    One for each browser: see ``PaymentAttempt``.
    """

    intent = models.ForeignKey(PaymentIntent, on_delete=models.CASCADE, related_name="payer_wallets")
    browser = models.CharField(max_length=64, blank=True)
    family = models.CharField(max_length=8)
    address = models.CharField(max_length=MAX_NAME)
    tokens = models.JSONField(null=True)
    unread = models.JSONField(default=list)
    looks = models.PositiveSmallIntegerField(default=0)
    connected_at = models.DateTimeField(default=now)
    looked_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["intent", "browser"], name="one_wallet_per_browser"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.family} {self.address}"


class PaymentAttempt(Tenant, StatefulModel):
    """A payer's one try to pay, with the firm quote it was shown.

    ``total_usd`` is all that leaves the wallet at most, network fees included. ``routes`` is what the payer is shown of
    those that were weighed. ``scenario`` and ``simulated_payer`` exist in test mode only. ``browser`` is the digest of
    the secret of whoever began it, and alone may act on it; empty where nobody gave one.
    Source: docs/adr/0045-an-attempt-belongs-to-who-began-it.md.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    intent = models.ForeignKey(PaymentIntent, on_delete=models.CASCADE, related_name="payment_attempts")
    number = models.PositiveIntegerField()
    browser = models.CharField(max_length=64, blank=True)
    family = models.CharField(max_length=8)
    payer_address = models.CharField(max_length=MAX_NAME)
    chain = models.CharField(max_length=MAX_NAME, blank=True)
    token = models.CharField(max_length=MAX_NAME, blank=True)
    token_address = models.CharField(max_length=MAX_NAME, blank=True)
    scenario = models.CharField(max_length=24, blank=True)
    simulated_payer = models.BooleanField(default=False)
    refresh_wanted = models.BooleanField(default=False)
    pay_usd = OptionalUsdColumn(null=True)
    fee_usd = OptionalUsdColumn(null=True)
    gas_usd = OptionalUsdColumn(null=True)
    total_usd = OptionalUsdColumn(null=True)
    duration_sec = models.PositiveIntegerField(null=True)
    due_base_units = OptionalBaseUnitsColumn(null=True)
    route_reason = models.CharField(max_length=300, blank=True)
    routes = models.JSONField(null=True)
    error_code = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=now)
    lapses_at = models.DateTimeField(null=True)
    signature_due_at = models.DateTimeField(null=True)
    signed_at = models.DateTimeField(null=True)

    objects: ClassVar = MerchantScoped.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=AttemptStatus.values), name="attempt_status_known"),
            models.UniqueConstraint(fields=["intent", "number"], name="attempts_are_numbered"),
            models.UniqueConstraint(
                fields=["intent", "browser"],
                condition=Q(status__in=[status.value for status in OPEN_ATTEMPT]),
                name="one_open_attempt_per_browser",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["merchant", "mode", "payer_address", "-created_at"], name="attempt_by_payer")
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"attempt {self.number} of {self.intent_id}"


class RouteCandidate(Tenant):
    """One way to pay that was weighed for an intent. Source: specification, RouteCandidate."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    intent = models.ForeignKey(PaymentIntent, on_delete=models.CASCADE, related_name="route_candidates")
    attempt = models.ForeignKey(PaymentAttempt, on_delete=models.CASCADE, related_name="route_candidates")
    provider = models.CharField(max_length=32)
    chosen = models.BooleanField()
    ai_pick = models.BooleanField()
    score = models.DecimalField(max_digits=12, decimal_places=6)
    from_chain = models.CharField(max_length=MAX_NAME)
    to_chain = models.CharField(max_length=MAX_NAME)
    from_token = models.CharField(max_length=MAX_NAME)
    to_token = models.CharField(max_length=MAX_NAME)
    to_amount_usd = UsdColumn()
    fee_usd = UsdColumn()
    gas_usd = UsdColumn()
    duration_sec = models.PositiveIntegerField()
    reason = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001 - null on the wire
    error = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001 - null on the wire
    raw = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=now)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["created_at"], name="route_by_age")]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.provider} from {self.from_chain}"
