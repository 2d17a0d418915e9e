"""The statuses of intents, attempts and legs, and every way from one to another. Data only.

Source: specification, States and transitions; docs/map.md, The intent's statuses.
"""

from django.db import models

from core.states import Machine, row


class IntentStatus(models.TextChoices):
    """Source: specification, PaymentIntent status (all eleven)."""

    CREATED = "created"
    REQUIRES_PAYMENT = "requires_payment"
    QUOTED = "quoted"
    AWAITING_SIGNATURE = "awaiting_signature"
    EXECUTING = "executing"
    PARTIALLY_FILLED = "partially_filled"
    SETTLED = "settled"
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    REFUNDED = "refunded"


S = IntentStatus
UNPAID = (S.CREATED, S.REQUIRES_PAYMENT, S.QUOTED, S.AWAITING_SIGNATURE)
"""Nothing is on its way: cancelling is allowed, and a payment seen on chain starts execution."""
UNSOLD = (S.EXPIRED, S.FAILED, S.CANCELLED)
"""Over, and not settled: what arrived all the same is owed to the payer."""

INTENT_MACHINE = Machine(
    name="payment intent",
    initial=S.CREATED,
    initial_event="payment_intent.created",
    terminal=frozenset({S.SETTLED, S.FAILED, S.EXPIRED, S.CANCELLED, S.REFUNDED}),
    transitions=(
        row("await_payment", [S.CREATED], S.REQUIRES_PAYMENT),
        row("quote", [S.CREATED, S.REQUIRES_PAYMENT, S.PARTIALLY_FILLED], S.QUOTED, "payment_intent.quoted"),
        row("lapse_quote", [S.QUOTED], S.REQUIRES_PAYMENT),
        row("lapse_top_up_quote", [S.QUOTED], S.PARTIALLY_FILLED),
        row("proceed", [S.QUOTED], S.AWAITING_SIGNATURE),
        row("requote", [S.AWAITING_SIGNATURE], S.QUOTED),
        row("resume", [S.REQUIRES_PAYMENT, S.PARTIALLY_FILLED], S.QUOTED),
        row("abandon", [S.AWAITING_SIGNATURE], S.REQUIRES_PAYMENT),
        row("abandon_top_up", [S.AWAITING_SIGNATURE], S.PARTIALLY_FILLED),
        row("sign", [S.AWAITING_SIGNATURE], S.EXECUTING, "payment_intent.executing"),
        row(
            "observe_credit",
            [S.CREATED, S.REQUIRES_PAYMENT, S.QUOTED, S.AWAITING_SIGNATURE, S.PARTIALLY_FILLED],
            S.EXECUTING,
            "payment_intent.executing",
        ),
        row("settle", [S.EXECUTING], S.SETTLED, "payment_intent.settled"),
        row("fill_partly", [S.EXECUTING], S.PARTIALLY_FILLED, "payment_intent.partially_filled"),
        row("end_attempt", [S.EXECUTING], S.REQUIRES_PAYMENT),
        row("end_top_up", [S.EXECUTING], S.PARTIALLY_FILLED),
        row("fail", [S.EXECUTING], S.FAILED, "payment_intent.failed"),
        row("expire", [*UNPAID, S.PARTIALLY_FILLED], S.EXPIRED, "payment_intent.expired"),
        row("cancel", UNPAID, S.CANCELLED, "payment_intent.cancelled"),
        row("accept_partial", [S.PARTIALLY_FILLED], S.SETTLED, "payment_intent.settled"),
        row("accept_late", [S.EXPIRED], S.SETTLED, "payment_intent.settled"),
        row("reverse", [S.SETTLED], S.EXECUTING, "payment_intent.settlement_reversed"),
        row("restore", [S.EXECUTING, S.EXPIRED, S.PARTIALLY_FILLED], S.SETTLED, "payment_intent.settlement_restored"),
        row(
            "refund",
            [S.SETTLED, S.PARTIALLY_FILLED, S.EXPIRED, S.FAILED, S.CANCELLED],
            S.REFUNDED,
            "payment_intent.refunded",
        ),
    ),
)


class AttemptStatus(models.TextChoices):
    """A payer's one try: from the wish for a quote to its end."""

    QUOTING = "quoting"
    QUOTED = "quoted"
    PREPARING = "preparing"
    AWAITING_SIGNATURE = "awaiting_signature"
    EXECUTING = "executing"
    CONFIRMED = "confirmed"
    FAILED = "failed"
    ABANDONED = "abandoned"
    LAPSED = "lapsed"


A = AttemptStatus
OPEN_ATTEMPT = (A.QUOTING, A.QUOTED, A.PREPARING, A.AWAITING_SIGNATURE, A.EXECUTING)

ATTEMPT_MACHINE = Machine(
    name="payment attempt",
    initial=A.QUOTING,
    terminal=frozenset({A.CONFIRMED, A.FAILED, A.ABANDONED, A.LAPSED}),
    transitions=(
        row("quote", [A.QUOTING], A.QUOTED),
        row("refresh", [A.QUOTED], A.QUOTED),
        row("prepare", [A.QUOTED], A.PREPARING),
        row("quote_anew", [A.PREPARING], A.QUOTING),
        row("issue", [A.PREPARING], A.AWAITING_SIGNATURE),
        row("sign", [A.AWAITING_SIGNATURE], A.EXECUTING),
        row("confirm", [A.EXECUTING], A.CONFIRMED),
        row("fail", [A.QUOTING, A.PREPARING, A.EXECUTING], A.FAILED),
        row("abandon", [A.QUOTING, A.QUOTED, A.PREPARING, A.AWAITING_SIGNATURE], A.ABANDONED),
        row("lapse", [A.QUOTED, A.PREPARING, A.AWAITING_SIGNATURE], A.LAPSED),
    ),
)


class LegStatus(models.TextChoices):
    """Source: docs/design/payments.md, A leg."""

    PLANNED = "planned"
    AWAITING_SIGNATURE = "awaiting_signature"
    SUBMITTED = "submitted"
    CONFIRMING = "confirming"
    CONFIRMED = "confirmed"
    FAILED = "failed"
    REFUNDED = "refunded"
    IN_DOUBT = "in_doubt"


L = LegStatus
FLYING_LEG = (L.SUBMITTED, L.CONFIRMING, L.IN_DOUBT)
UNSENT_LEG = (L.AWAITING_SIGNATURE, L.FAILED)
"""Handed to a wallet and not seen on chain; a failed one may still be sent by its owner."""

LEG_MACHINE = Machine(
    name="leg",
    initial=L.PLANNED,
    terminal=frozenset({L.CONFIRMED, L.FAILED, L.REFUNDED}),
    transitions=(
        row("issue", [L.PLANNED], L.AWAITING_SIGNATURE),
        row("submit", [L.AWAITING_SIGNATURE, L.FAILED], L.SUBMITTED),
        row("include", [L.SUBMITTED, L.IN_DOUBT], L.CONFIRMING),
        row("lose_sight", [L.SUBMITTED, L.CONFIRMING], L.IN_DOUBT),
        row("confirm", [L.SUBMITTED, L.CONFIRMING, L.IN_DOUBT], L.CONFIRMED),
        row("fail", [L.PLANNED, L.AWAITING_SIGNATURE, L.SUBMITTED, L.CONFIRMING, L.IN_DOUBT], L.FAILED),
        row("give_back", [L.SUBMITTED, L.CONFIRMING, L.IN_DOUBT], L.REFUNDED),
        row("reopen", [L.CONFIRMED], L.CONFIRMING),
    ),
)


class Problem(models.TextChoices):
    """Why the last try to pay ended without its money: the codes of ``last_error``."""

    ROUTE_UNAVAILABLE = "route_unavailable"
    PRICE_UNAVAILABLE = "price_unavailable"
    EXECUTION_FAILED = "execution_failed"
    BRIDGE_REFUNDED = "bridge_refunded"
    BRIDGE_UNFILLED = "bridge_unfilled"
    SIGNATURE_MISSING = "signature_missing"
    COUNTED_ELSEWHERE = "counted_elsewhere"


REPLACED = "replaced"
"""The error of a leg whose transaction lost its place to another one; its owner may still sign it anew."""
NOT_FOUND = "tx_not_found"
"""The error of a leg whose transaction is in no block, for too long."""
UNFILLED = "unfilled"
"""The error of a leg whose bridge can deliver no more; it owes the payer the money on the source chain."""
REVERTED = "reverted"
"""The error of a leg whose transaction failed on chain for good."""
TAKEN = "tx_already_used"
"""The error of a leg whose transaction counts for somebody else."""
PAYER_REJECTED = "payer_rejected"
"""The error of a leg that the wallet said its owner declined."""
ACCEPTED_PARTIAL = "accepted_partial"
"""Why an intent is settled of which the merchant took a part as enough."""
PAID_BEFORE_EXPIRY = "paid_before_expiry"
"""Why one is settled whose time was over when its money, sent in time, was seen."""
PAID_LATE = "late_payment"
"""Why one is settled that was paid after its time, where the merchant takes that."""
SETTLED_REASONS = (ACCEPTED_PARTIAL, PAID_BEFORE_EXPIRY, PAID_LATE)
PARTIAL = "partial"
"""The sub-status of a leg of which less arrived than its route promised."""
TIME_RAN_OUT = "time ran out"
"""The reason in the history where the clock ended a try."""


class SettlementChangeStatus(models.TextChoices):
    """What became of a wish to send money elsewhere."""

    WAITING = "waiting"
    IN_EFFECT = "in_effect"
    WITHDRAWN = "withdrawn"
    REPLACED = "replaced"


C = SettlementChangeStatus

SETTLEMENT_CHANGE_MACHINE = Machine(
    name="settlement change",
    initial=C.WAITING,
    terminal=frozenset({C.IN_EFFECT, C.WITHDRAWN, C.REPLACED}),
    transitions=(
        row("take_effect", [C.WAITING], C.IN_EFFECT),
        row("withdraw", [C.WAITING], C.WITHDRAWN),
        row("replace", [C.WAITING], C.REPLACED),
    ),
)
