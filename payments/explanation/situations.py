"""Which situation an intent is in: one code for everybody who asks, from its rows and the moment alone."""

from datetime import datetime, timedelta
from enum import StrEnum

from chains.registry import chain
from core.money import ZERO_USD
from payments.explanation.rows import Rows
from payments.models import Leg
from payments.states import (
    ACCEPTED_PARTIAL,
    PAID_LATE,
    TIME_RAN_OUT,
    UNPAID,
    AttemptStatus,
    IntentStatus,
    LegStatus,
    Problem,
)

SLOW_FLOOR = timedelta(minutes=10)
SLOW_FACTOR = 3
"""A payment is slow after three times what is typical, and ten minutes; its chain's own wait comes on top."""


class Situation(StrEnum):
    """Every code: the eleven statuses, and what can be said beyond them."""

    CREATED = "created"
    REQUIRES_PAYMENT = "requires_payment"
    QUOTING = "quoting"
    QUOTED = "quoted"
    PREPARING = "preparing"
    AWAITING_SIGNATURE = "awaiting_signature"
    SIGNATURE_REPORTED = "signature_reported"
    QUOTE_LAPSED = "quote_lapsed"
    SIGNATURE_DECLINED = "signature_declined"
    SIGNATURE_TIMED_OUT = "signature_timed_out"
    TIME_OVER = "time_over"
    ROUTE_UNAVAILABLE = "route_unavailable"
    PRICE_UNAVAILABLE = "price_unavailable"
    EXECUTION_FAILED = "execution_failed"
    BRIDGE_REFUNDED = "bridge_refunded"
    BRIDGE_UNFILLED = "bridge_unfilled"
    COUNTED_ELSEWHERE = "counted_elsewhere"
    STRAY_ARRIVED = "stray_arrived"
    EXECUTING = "executing"
    EXECUTING_SLOW = "executing_slow"
    CONFIRMING = "confirming"
    REST_UNSIGNED = "rest_unsigned"
    IN_DOUBT = "in_doubt"
    REORG_RECHECKED = "reorg_rechecked"
    SETTLEMENT_REVERSED = "settlement_reversed"
    PARTIALLY_FILLED = "partially_filled"
    PARTIALLY_FILLED_TIME_OVER = "partially_filled_time_over"
    SETTLED = "settled"
    SETTLED_OVERPAID = "settled_overpaid"
    SETTLED_TWICE = "settled_twice"
    SETTLED_SHORT = "settled_short"
    SETTLED_LATE = "settled_late"
    SETTLED_VANISHED = "settled_vanished"
    LATE_ARRIVING = "late_arriving"
    LATE_PAYMENT = "late_payment"
    FAILED = "failed"
    FAILED_FUNDED = "failed_funded"
    EXPIRED = "expired"
    EXPIRED_FUNDED = "expired_funded"
    CANCELLED = "cancelled"
    CANCELLED_FUNDED = "cancelled_funded"
    REFUNDED = "refunded"
    REFUNDED_FUNDED = "refunded_funded"


S = Situation
AT_REST = frozenset(
    {
        IntentStatus.PARTIALLY_FILLED,
        IntentStatus.SETTLED,
        IntentStatus.FAILED,
        IntentStatus.EXPIRED,
        IntentStatus.CANCELLED,
        IntentStatus.REFUNDED,
    }
)
"""Nothing of the payment is moving: what comes after it, a refund or a payout, may be the more urgent news."""
_SETTLED_BECAUSE = {ACCEPTED_PARTIAL: S.SETTLED_SHORT, PAID_LATE: S.SETTLED_LATE}
_LAST_PROBLEM = {
    Problem.ROUTE_UNAVAILABLE: S.ROUTE_UNAVAILABLE,
    Problem.PRICE_UNAVAILABLE: S.PRICE_UNAVAILABLE,
    Problem.EXECUTION_FAILED: S.EXECUTION_FAILED,
    Problem.BRIDGE_REFUNDED: S.BRIDGE_REFUNDED,
    Problem.BRIDGE_UNFILLED: S.BRIDGE_UNFILLED,
    Problem.COUNTED_ELSEWHERE: S.COUNTED_ELSEWHERE,
}
_STEPPED_BACK = {
    ("lapse_quote", True): S.QUOTE_LAPSED,
    ("abandon", True): S.SIGNATURE_TIMED_OUT,
    ("abandon", False): S.SIGNATURE_DECLINED,
}
"""By the trigger that led back to waiting, and whether it was the clock's doing."""
_FUNDED = {
    IntentStatus.FAILED: S.FAILED_FUNDED,
    IntentStatus.EXPIRED: S.EXPIRED_FUNDED,
    IntentStatus.CANCELLED: S.CANCELLED_FUNDED,
}


def situation_of(rows: Rows) -> Situation:
    """The one code that says where an intent stands."""
    status = rows.status
    if status in UNPAID:
        return _unpaid(rows)
    if status == IntentStatus.EXECUTING:
        return _executing(rows)
    if status == IntentStatus.PARTIALLY_FILLED:
        return S.PARTIALLY_FILLED_TIME_OVER if _time_is_over(rows) else S.PARTIALLY_FILLED
    if status == IntentStatus.SETTLED:
        return _settled(rows)
    if status == IntentStatus.REFUNDED:
        return S.REFUNDED_FUNDED if rows.intent.received_usd > rows.intent.refunded_usd else S.REFUNDED
    return _ended_unpaid(rows)


def is_slow(leg: Leg, at: datetime) -> bool:
    """Whether a transaction under way takes longer than it should."""
    slow_after = _slow_after(leg)
    return slow_after is not None and at > slow_after


def changes_by_clock_at(rows: Rows) -> datetime | None:
    """When at the earliest time alone has something else said of these rows; None: never.

    Why so few moments: whatever else ends by the clock is ended by a worker, who writes a row.
    """
    moments = [rows.intent.expires_due_at, *(_slow_after(leg) for leg in rows.legs)]
    return min((each for each in moments if each is not None and each >= rows.at), default=None)


def _slow_after(leg: Leg) -> datetime | None:
    if leg.submitted_at is None:
        return None
    known = chain(leg.to_chain)
    finality = timedelta(seconds=known.finalized_seconds if known is not None else 0)
    typical = timedelta(seconds=SLOW_FACTOR * leg.typical_seconds)
    return leg.submitted_at + max(typical, SLOW_FLOOR) + finality


def _time_is_over(rows: Rows) -> bool:
    return rows.intent.expires_due_at <= rows.at


def _unpaid(rows: Rows) -> Situation:
    status, attempt = rows.status, rows.open_attempt
    if any(leg.status == LegStatus.AWAITING_SIGNATURE and leg.tx_hash for leg in rows.own_legs):
        return S.SIGNATURE_REPORTED
    if _time_is_over(rows):
        return S.TIME_OVER
    if attempt is not None and attempt.status == AttemptStatus.QUOTING:
        return S.QUOTING
    if status == IntentStatus.QUOTED:
        is_accepted = attempt is not None and attempt.status == AttemptStatus.PREPARING
        return S.PREPARING if is_accepted else S.QUOTED
    if status == IntentStatus.AWAITING_SIGNATURE:
        return S.AWAITING_SIGNATURE
    return _waiting(rows)


def _waiting(rows: Rows) -> Situation:
    """Created, or back where a payment can start: why the last try came to nothing."""
    if rows.strays and rows.intent.received_usd == 0:
        return S.STRAY_ARRIVED
    if rows.intent.status == IntentStatus.CREATED:
        return S.CREATED
    problem = rows.intent.last_error_code
    if problem in _LAST_PROBLEM:
        return _LAST_PROBLEM[Problem(problem)]
    step = rows.last_step
    back = None if step is None else _STEPPED_BACK.get((step.trigger, step.reason == TIME_RAN_OUT))
    return back or S.REQUIRES_PAYMENT


def _executing(rows: Rows) -> Situation:
    step, flying = rows.last_step, rows.flying
    if step is not None and step.trigger == "reverse":
        return S.SETTLEMENT_REVERSED
    if not rows.standing and any(one.reversed_at for one in rows.credits if one.purpose == "settlement"):
        return S.REORG_RECHECKED
    if rows.intent.in_doubt:
        return S.IN_DOUBT
    attempt = rows.open_attempt
    own = [leg for leg in rows.legs if attempt is not None and leg.attempt_id == attempt.pk]
    if not flying and any(leg.status == LegStatus.AWAITING_SIGNATURE and not leg.tx_hash for leg in own):
        return S.REST_UNSIGNED
    if any(is_slow(leg, rows.at) for leg in flying):
        return S.EXECUTING_SLOW
    return S.CONFIRMING if any(one.final_at is None for one in rows.standing) else S.EXECUTING


def _settled(rows: Rows) -> Situation:
    intent = rows.intent
    if any(one.vanished_at for one in rows.standing):
        return S.SETTLED_VANISHED
    if intent.overpaid_usd > intent.refunded_usd:
        # A surplus is a payment of its own where the whole amount was there before it came.
        *before, _ = [one.value_usd for one in rows.standing if one.final_at is not None] or [ZERO_USD]
        return S.SETTLED_TWICE if sum(before, ZERO_USD) >= intent.amount else S.SETTLED_OVERPAID
    return _SETTLED_BECAUSE.get(intent.settled_reason, S.SETTLED)


def _ended_unpaid(rows: Rows) -> Situation:
    """Failed, expired or cancelled; money may come all the same."""
    intent = rows.intent
    if intent.received_usd > 0:
        late = intent.status == IntentStatus.EXPIRED and any(one.late for one in rows.standing)
        return S.LATE_PAYMENT if late else _FUNDED[IntentStatus(intent.status)]
    if rows.flying or rows.standing:
        return S.LATE_ARRIVING
    return S.STRAY_ARRIVED if rows.strays else Situation(intent.status)
