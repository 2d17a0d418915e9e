"""Refunds, their history, and how a merchant wants them sent."""

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
from payments.models import MAX_NAME, Credit, PaymentIntent, Tenant
from refunds.states import RELEASED, RefundStatus

MAX_REASON = 280
"""Source: specification, Limits (refund reason length)."""


class RefundPolicy(Tenant):
    """How a merchant refunds in one mode. Without a row: nothing is assumed.

    ``to_paying_wallet``: a refund without a destination goes to the one wallet that provably paid as much, where that
    wallet can receive on the refund's chain. Source: docs/adr/0043.
    ``confirms_new_destinations``: in live mode a key's refund to an address that did not pay waits for a person, unless
    the address is one of ``destinations``.
    """

    to_paying_wallet = models.BooleanField(default=False)
    confirms_new_destinations = models.BooleanField(default=True)
    destinations = models.JSONField(default=list)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["merchant", "mode"], name="one_refund_policy")]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"refund policy of merchant {self.merchant_id} ({self.mode})"


class Refund(Tenant, StatefulModel, Leased):
    """Money that goes back to a payer. ``next_attempt_at`` is when it is looked at; the row is its own queue entry.

    Units: ``base_units`` of the token, fixed at creation from the credits' own ratio. ``retry_at`` is shown, and no
    test clock moves it. ``transfer`` is the newest one made for it.
    ``other_funds_``: the part that its payment does not hold any more, since it was paid out; the merchant said so.
    ``credit`` is the late payment that it sends back by itself, and ``act`` what the refunds of one act have in common,
    which repaid several payers at once.
    ``stray`` is what it gives back in kind: its units and token are the stray's own, and its dollars are none.
    ``maker`` is whose room the idempotency key lies in.
    ``created_by`` is an actor; ``released_by`` the one who let it go although its maker may not send it any more.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    intent = models.ForeignKey(PaymentIntent, on_delete=models.PROTECT, related_name="refunds")
    amount_usd = UsdColumn()
    base_units = BaseUnitsColumn()
    chain = models.CharField(max_length=MAX_NAME)
    token = models.CharField(max_length=MAX_NAME)
    token_address = models.CharField(max_length=MAX_NAME, blank=True)
    token_decimals = models.PositiveSmallIntegerField()
    destination = models.CharField(max_length=MAX_NAME, blank=True)
    reason = models.CharField(max_length=MAX_REASON, blank=True)
    other_funds_usd = UsdColumn(default=ZERO_USD)
    other_funds_units = BaseUnitsColumn(default=0)
    rail = models.CharField(max_length=16, blank=True)
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT, null=True, related_name="+")
    tx_hash = models.CharField(max_length=128, blank=True)
    failure_reason = models.CharField(max_length=40, blank=True)
    retry_at = models.DateTimeField(null=True)
    credit = models.ForeignKey(Credit, on_delete=models.PROTECT, null=True, related_name="refunds")
    act = models.UUIDField(null=True)
    stray = models.ForeignKey(Credit, on_delete=models.PROTECT, null=True, related_name="given_back")
    maker = models.CharField(max_length=80, default=MERCHANT)
    idempotency_key = models.CharField(max_length=255, blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    created_by = models.CharField(max_length=80, blank=True)
    released_by = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(default=now)
    updated_at = models.DateTimeField(default=now)
    paid_at = models.DateTimeField(null=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=RefundStatus.values), name="refund_status_known"),
            models.CheckConstraint(
                condition=Q(stray=None, amount_usd__gt=0) | Q(stray__isnull=False, amount_usd=0),
                name="refund_amount_above_zero",
            ),
            models.UniqueConstraint(
                fields=["merchant", "mode", "maker", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_refund_per_idempotency_key",
            ),
            models.UniqueConstraint(
                fields=["credit"], condition=Q(credit__isnull=False), name="one_automatic_refund_per_credit"
            ),
            models.UniqueConstraint(
                fields=["stray"],
                condition=Q(stray__isnull=False) & ~Q(status__in=RELEASED),
                name="a_stray_goes_back_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["merchant", "mode", "-created_at", "-id"], name="refund_list"),
            models.Index(fields=["intent", "-created_at", "-id"], name="refund_list_of_intent"),
            models.Index(fields=["merchant", "mode", "status", "-created_at", "-id"], name="refund_list_by_status"),
            models.Index(
                fields=["merchant", "mode", "tx_hash"], condition=~Q(tx_hash=""), name="refund_by_transaction"
            ),
            models.Index(
                fields=["merchant", "mode", "destination", "-created_at", "-id"],
                condition=~Q(destination=""),
                name="refund_by_destination",
            ),
            models.Index(fields=["next_attempt_at"], condition=Q(next_attempt_at__isnull=False), name="refund_due"),
            models.Index(fields=["act"], condition=Q(act__isnull=False), name="refund_of_act"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"refund {self.pk} {self.status}"


class RefundTransition(TransitionRecord):
    """One line of a refund's history."""

    subject = models.ForeignKey(Refund, on_delete=models.CASCADE, related_name="history")


class RefundClaim(Tenant):
    """A text that a payer was given to sign for a refund that waits for an address. Used at most once.

    ``message`` is exactly what is signed; with ``signature`` it stays as the proof of who said where the money goes.
    ``asked_from`` tells apart from where texts were asked for, and says no more: a keyed digest of a network address.
    Source: docs/guides/refunds.md, The claim link.
    """

    refund = models.ForeignKey(Refund, on_delete=models.CASCADE, related_name="claims")
    nonce = models.CharField(max_length=64, unique=True)
    family = models.CharField(max_length=8)
    wallet = models.CharField(max_length=MAX_NAME)
    destination = models.CharField(max_length=MAX_NAME)
    message = models.TextField()
    asked_from = models.CharField(max_length=64, blank=True, default="")
    signature = models.CharField(max_length=140, blank=True)
    created_at = models.DateTimeField(default=now)
    ends_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["refund"], condition=Q(used_at__isnull=False), name="one_claim_per_refund")
        ]
        indexes: ClassVar = [models.Index(fields=["refund", "ends_at"], name="claims_of_refund")]

    def __str__(self) -> str:
        """Enough to recognise it. Why no nonce: it is good for ten minutes."""
        return f"claim {self.pk} of refund {self.refund_id}"
