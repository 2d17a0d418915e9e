"""A refund's one machine, and the two vocabularies of the specification that it is told in. Data only.

Source: specification, Refund status; docs/guides/refunds.md, Its life, in two vocabularies.
"""

from django.db import models

from chains.transfers import Blocker, Failure
from core.states import Machine, row
from merchants.admission import HoldReason
from merchants.errors import MERCHANT_SUSPENDED


class RefundStatus(models.TextChoices):
    """How far a refund is."""

    WAITING = "waiting"
    QUEUED = "queued"
    PROCESSING = "processing"
    RETRY_SCHEDULED = "retry_scheduled"
    PAID = "paid"
    FAILED = "failed"
    CANCELLED = "cancelled"


R = RefundStatus
RELEASED = (R.FAILED, R.CANCELLED)
"""These no longer reserve anything of the intent's balance."""
SENT = (R.PROCESSING, R.PAID)
"""It left, or is being sent."""
OPEN = (R.WAITING, R.QUEUED, R.PROCESSING, R.RETRY_SCHEDULED)
ADDRESSED = (R.QUEUED, R.PROCESSING, R.RETRY_SCHEDULED)
"""It is known where these go; a transfer may be ordered, under way, or wait for its merchant's wallet."""
MISSING_DESTINATION = "missing_destination"
STRAY_CHANGED = "stray_changed"
"""What it gives back is gone from its chain, or is not by now what it was when the refund was made."""
PAYER_NOT_PROVEN = "payer_not_proven"
"""It was to go to the paying wallet by itself, and that wallet is not proven to have paid as much, for good."""

DESTINATION_UNCONFIRMED = "destination_unconfirmed"
"""A key named an address that did not pay and that no person has let money go to yet."""

FAILURE_REASONS = (
    *(MISSING_DESTINATION, STRAY_CHANGED, PAYER_NOT_PROVEN, DESTINATION_UNCONFIRMED, MERCHANT_SUSPENDED),
    *(word.value for words in (HoldReason, Blocker, Failure) for word in words),
)
"""Why one is not paid, or not paid yet: all words of ``failure_reason``."""

REFUND_MACHINE = Machine(
    name="refund",
    initial=R.WAITING,
    initial_event="refund.created",
    terminal=frozenset({R.PAID, R.FAILED, R.CANCELLED}),
    transitions=(
        row("address", [R.WAITING], R.QUEUED),
        row("dispatch", [R.QUEUED], R.PROCESSING, "refund.processing"),
        row("redispatch", [R.RETRY_SCHEDULED], R.PROCESSING),
        row("postpone", [R.PROCESSING], R.RETRY_SCHEDULED),
        row("pay", [R.PROCESSING], R.PAID, "refund.paid"),
        row("fail", [R.PROCESSING], R.FAILED, "refund.failed"),
        row("cancel", OPEN, R.CANCELLED, "refund.cancelled"),
    ),
)
"""``cancel``: while provably nothing was signed for it, also where it waits for a merchant's own wallet."""

RECORD_STATUS = {
    R.WAITING: "pending",
    R.QUEUED: "pending",
    R.PROCESSING: "pending",
    R.RETRY_SCHEDULED: "pending",
    R.PAID: "paid",
    R.FAILED: "failed",
    R.CANCELLED: "cancelled",
}
"""Source: specification, Refund."""
PUBLIC_STATUS = {
    R.WAITING: "pending",
    R.QUEUED: "pending",
    R.PROCESSING: "processing",
    R.RETRY_SCHEDULED: "retry_scheduled",
    R.PAID: "succeeded",
    R.FAILED: "failed",
    R.CANCELLED: "cancelled",
}
"""Source: specification, Refund public status view."""
