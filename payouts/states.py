"""A payout's statuses and every way from one to another. Data only.

Source: specification, Payout status; docs/guides/payouts.md, Statuses.
"""

from django.db import models

from core.states import Machine, row


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
