"""The allowed steps of everything that has a status, and the event of each. Data only.

Why again, beside the machines of the apps: a checker that reads the code's own tables finds nothing wrong with them.
Source: docs/map.md, The intent's statuses; docs/guides/refunds.md, Its life, in two vocabularies;
docs/guides/payouts.md, Statuses; docs/guides/webhooks.md, Events; docs/money-out.md, EVM chains.
"""

from dataclasses import dataclass, field

Steps = dict[str, set[str]]
"""From a status to those that may follow; from the empty one at creation."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """How one kind of row may go. ``events`` gives the event of a step, by its two statuses or by its trigger alone.

    ``aside`` are events that no step causes. ``waits``: a worker must come back to these by itself.
    """

    steps: Steps
    waits: frozenset[str]
    events: dict[tuple[str, str] | str, str] = field(default_factory=dict)
    aside: frozenset[str] = frozenset()

    def event_of(self, came_from: str, trigger: str, to: str) -> str | None:
        """The event of a step, if any."""
        return self.events.get(trigger) or self.events.get((came_from, to))


INTENT = Path(
    steps={
        "": {"created"},
        "created": {"requires_payment", "quoted", "executing", "expired", "cancelled"},
        "requires_payment": {"quoted", "executing", "expired", "cancelled"},
        "quoted": {"requires_payment", "partially_filled", "awaiting_signature", "executing", "expired", "cancelled"},
        "awaiting_signature": {
            *("quoted", "requires_payment", "partially_filled", "executing", "expired", "cancelled"),
        },
        "executing": {"settled", "partially_filled", "requires_payment", "failed"},
        "partially_filled": {"quoted", "executing", "settled", "expired", "refunded"},
        "settled": {"refunded", "executing"},
        "failed": {"refunded"},
        "expired": {"refunded", "settled"},
        "cancelled": {"refunded"},
        "refunded": set(),
    },
    waits=frozenset({"created", "requires_payment", "quoted", "awaiting_signature", "executing", "partially_filled"}),
    events={
        "create": "payment_intent.created",
        "quote": "payment_intent.quoted",
        "sign": "payment_intent.executing",
        "observe_credit": "payment_intent.executing",
        "fill_partly": "payment_intent.partially_filled",
        "settle": "payment_intent.settled",
        "accept_partial": "payment_intent.settled",
        "accept_late": "payment_intent.settled",
        "fail": "payment_intent.failed",
        "expire": "payment_intent.expired",
        "cancel": "payment_intent.cancelled",
        "refund": "payment_intent.refunded",
        "reverse": "payment_intent.settlement_reversed",
        "restore": "payment_intent.settlement_restored",
    },
    aside=frozenset(
        {
            "payment_intent.late_payment",
            "payment_intent.overpaid",
            "payment_intent.funds_owed",
            "payment_intent.payment_counted_elsewhere",
            "payment_intent.stray_arrived",
        }
    ),
)

REFUND = Path(
    steps={
        "": {"waiting"},
        "waiting": {"queued", "cancelled"},
        "queued": {"processing", "cancelled"},
        "processing": {"paid", "retry_scheduled", "failed", "cancelled"},
        "retry_scheduled": {"processing", "cancelled"},
        "paid": set(),
        "failed": set(),
        "cancelled": set(),
    },
    waits=frozenset({"queued", "processing", "retry_scheduled"}),
    events={
        ("", "waiting"): "refund.created",
        ("queued", "processing"): "refund.processing",
        ("processing", "paid"): "refund.paid",
        ("processing", "failed"): "refund.failed",
        ("waiting", "cancelled"): "refund.cancelled",
        ("queued", "cancelled"): "refund.cancelled",
        ("processing", "cancelled"): "refund.cancelled",
        ("retry_scheduled", "cancelled"): "refund.cancelled",
    },
    aside=frozenset({"refund.missing_destination"}),
)

PAYOUT = Path(
    steps={
        "": {"queued"},
        "queued": {"pending", "paid"},
        "pending": {"processing", "paused", "failed"},
        "processing": {"pending_provider", "retry_scheduled", "failed", "paused"},
        "pending_provider": {"paid", "retry_scheduled", "failed", "paused"},
        "retry_scheduled": {"queued", "failed"},
        "paused": {"queued"},
        "failed": {"queued"},
        "paid": set(),
    },
    waits=frozenset({"queued", "pending", "processing", "pending_provider", "retry_scheduled"}),
    events={
        ("", "queued"): "payout.created",
        ("queued", "paid"): "payout.paid",
        ("pending", "processing"): "payout.processing",
        ("pending", "paused"): "payout.paused",
        ("processing", "paused"): "payout.paused",
        ("pending_provider", "paused"): "payout.paused",
        ("pending", "failed"): "payout.failed",
        ("processing", "retry_scheduled"): "payout.retry_scheduled",
        ("processing", "failed"): "payout.failed",
        ("pending_provider", "paid"): "payout.paid",
        ("pending_provider", "retry_scheduled"): "payout.retry_scheduled",
        ("pending_provider", "failed"): "payout.failed",
        ("retry_scheduled", "failed"): "payout.failed",
    },
)

TRANSFER = Path(
    steps={
        "": {"new"},
        "new": {"reserved", "signed", "failed"},
        "reserved": {"signed", "new"},
        "signed": {"broadcast", "mined", "new", "failed"},
        "broadcast": {"mined", "new", "failed"},
        "mined": {"paid", "reverted", "broadcast", "new", "failed"},
        "paid": set(),
        "reverted": set(),
        "failed": set(),
    },
    waits=frozenset({"new", "reserved", "signed", "broadcast", "mined"}),
)

REFUND_RECORD = {"waiting": "pending", "queued": "pending", "processing": "pending", "retry_scheduled": "pending"}
"""The statuses of the record; the others have the same name. Source: specification, Refund."""
REFUND_PUBLIC = {"waiting": "pending", "queued": "pending", "paid": "succeeded"}
"""The statuses of the public view, likewise. Source: specification, Refund public status view."""
RELEASED = frozenset({"failed", "cancelled"})
"""In both vocabularies: these refunds reserve nothing."""
