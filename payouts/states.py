"""A payout's statuses and every way from one to another. Data only.

Source: specification, Payout status; docs/guides/payouts.md, Statuses.
"""

from django.db import models

from chains.transfers import Blocker, Failure
from core.states import Machine, row
from merchants.admission import HoldReason
from merchants.errors import MERCHANT_SUSPENDED


class PayoutStatus(models.TextChoices):
    """Source: specification, Payout status (all eight)."""

    QUEUED = "queued"
    PENDING = "pending"
    PROCESSING = "processing"
    PENDING_PROVIDER = "pending_provider"
    RETRY_SCHEDULED = "retry_scheduled"
    PAID = "paid"
    FAILED = "failed"
    PAUSED = "paused"


P = PayoutStatus
SENT = (P.PENDING_PROVIDER, P.PAID)
"""It is on its chain, or was sent to it."""
OVER = (P.PAID, P.FAILED)
"""Nothing more is sent for these by itself; a failed one holds nothing, until it is replayed."""
MERCHANT_PAUSED = "merchant_paused"
DESTINATION_CHANGED = "destination_changed"
"""The address that it would go to is not the merchant's by its settings any more."""
SETTLEMENT_REVERSED = "settlement_reversed"
INTENT_NOT_SETTLED = "intent_not_settled"
BALANCE_CHANGED = "balance_changed"
"""Refunds or another payout took a part of what it would send."""
SIGNER_MISSING = "signer_missing"
CANCELLED = "cancelled"
FAILURE_REASONS = (
    *(MERCHANT_PAUSED, MERCHANT_SUSPENDED, DESTINATION_CHANGED, SETTLEMENT_REVERSED, INTENT_NOT_SETTLED),
    *(BALANCE_CHANGED, SIGNER_MISSING, CANCELLED),
    *(word.value for words in (HoldReason, Blocker, Failure) for word in words),
)
"""Why one is not paid, or not paid yet: all words of ``failure_reason``."""

PAYOUT_MACHINE = Machine(
    name="payout",
    initial=P.QUEUED,
    initial_event="payout.created",
    terminal=frozenset({P.PAID, P.FAILED}),
    transitions=(
        row("recognise", [P.QUEUED], P.PAID, "payout.paid"),
        row("claim", [P.QUEUED], P.PENDING),
        row("send", [P.PENDING], P.PROCESSING, "payout.processing"),
        row("pause", [P.PENDING, P.PROCESSING, P.PENDING_PROVIDER], P.PAUSED, "payout.paused"),
        row("submit", [P.PROCESSING], P.PENDING_PROVIDER),
        row("postpone", [P.PROCESSING, P.PENDING_PROVIDER], P.RETRY_SCHEDULED, "payout.retry_scheduled"),
        row("pay", [P.PENDING_PROVIDER], P.PAID, "payout.paid"),
        row("requeue", [P.RETRY_SCHEDULED], P.QUEUED),
        row("resume", [P.PAUSED], P.QUEUED),
        row("fail", [P.PENDING, P.PROCESSING, P.RETRY_SCHEDULED, P.PENDING_PROVIDER], P.FAILED, "payout.failed"),
        row("replay", [P.FAILED], P.QUEUED),
    ),
)
"""``recognise``: the settlement itself already reached the destination, so nothing is sent. ``pause`` after ``send``:
only while nothing that was signed can land."""
