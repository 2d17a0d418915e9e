"""What the credits of an intent amount to: settled, partly filled, ended, or wait."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta

from core.clock import now
from core.metrics import SETTLES
from core.money import ZERO_USD, BaseUnits, UsdAmount
from payments.amounts import SLIPPAGE_RATE, is_dust, tolerance_base_units
from payments.models import LatePolicy, Leg, PaymentAttempt, PaymentIntent
from payments.routing.base import LegKind
from payments.rules import IntentFacts, Note, what_follows
from payments.selectors import policy_for
from payments.services.balance import Balance, balance
from payments.services.booking import book_owed
from payments.services.settled import announce_movement, announce_settled
from payments.services.side_by_side import (
    close_attempt,
    close_landed_attempts,
    end_open_attempts,
    follow_attempts,
    make_way,
)
from payments.services.transition import WORKER, apply_trigger, tell
from payments.services.underway import Underway, awaits_next_leg, underway
from payments.states import (
    ACCEPTED_PARTIAL,
    FLYING_LEG,
    INTENT_MACHINE,
    PAID_BEFORE_EXPIRY,
    PAID_LATE,
    TAKEN,
    UNFILLED,
    IntentStatus,
    LegStatus,
    Problem,
)

_LOGGER = logging.getLogger("causeway.payments")
_ENDINGS = {
    LegStatus.REFUNDED: (Problem.BRIDGE_REFUNDED, "The bridge returned the money to the payer's wallet."),
    LegStatus.FAILED: (Problem.EXECUTION_FAILED, "The payment transaction did not go through; no money moved."),
    LegStatus.AWAITING_SIGNATURE: (Problem.SIGNATURE_MISSING, "Not every transaction of the payment was signed."),
}
"""By what became of a leg, the worst first: why the payment ended short, and the sentence that says it."""
_UNFILLED = (Problem.BRIDGE_UNFILLED, "The bridge could not deliver; it returns the money to the payer's wallet.")
"""Why apart from other failures: there the money never left the wallet."""
_SHOWN = ("received_usd", "in_doubt")
"""What an intent that is not over shows of its progress."""
_TAKEN = (Problem.COUNTED_ELSEWHERE, "The transaction counts for another payment.")


def conclude(intent: PaymentIntent, way: Underway) -> None:
    """Bring an intent in line with its credits and legs.

    Locks: the caller holds the intent's lock, and schedules its next look afterwards.
    """
    held = balance(intent)
    if intent.status in INTENT_MACHINE.terminal:
        close_landed_attempts(way)
    facts, shown = _facts(intent, held, way), {name: getattr(intent, name) for name in _SHOWN}
    for trigger in what_follows(facts):
        _APPLIED[trigger](intent, held, way, trigger)
    changed = [name for name, value in shown.items() if getattr(intent, name) != value]
    if changed and not facts.is_over and intent.status != IntentStatus.SETTLED:  # settled, it is written with these
        intent.save(update_fields=changed)


def _facts(intent: PaymentIntent, held: Balance, way: Underway) -> IntentFacts:
    """What decides, read once. Why some only where others leave it open: each is a question to the database."""
    received_usd, is_complete = held.received.usd, _is_complete(intent, held)
    can_bring_more = (_more_may_be_signed(attempt, way.legs_of(attempt)) for attempt in way.executing)
    is_coming = way.is_moving or held.is_awaited or any(can_bring_more)
    is_worth = not is_dust(intent, received_usd)
    is_more, is_over = received_usd > intent.received_usd, intent.status in INTENT_MACHINE.terminal
    may_be_short = is_worth and not (is_over or is_complete or is_coming)
    is_hopeless = bool(way.executing) and all(attempt.scenario == "fail" for attempt in way.executing)
    return IntentFacts(
        status=intent.status,
        owes=held.owed.usd != intent.owed_usd,
        more=is_more,
        less=received_usd < intent.received_usd,
        is_complete=is_complete,
        is_moving=way.is_moving or _money_came(intent, held, is_complete=is_complete),
        is_coming=is_coming,
        is_worth=is_worth,
        is_news=may_be_short and _is_news(intent, way),
        may_try_again=not is_hopeless and intent.expires_due_at > now(),
        settles_late=is_over and is_more and is_complete and bool(_reason_to_accept(intent)),
    )


def _note_progress(intent: PaymentIntent, held: Balance, way: Underway, _trigger: str) -> None:
    """Bring what an intent that is not over shows in line; ``conclude`` writes it down."""
    intent.received_usd = held.received.usd
    intent.in_doubt = any(leg.status == LegStatus.IN_DOUBT for leg in way.legs)


def _note_owed(intent: PaymentIntent, held: Balance, _way: Underway, _trigger: str) -> None:
    """Say that more left than arrived: a reorganisation took away what was paid on already."""
    owed = held.owed
    is_more, intent.owed_usd = owed.usd > intent.owed_usd, owed.usd
    intent.save(update_fields=["owed_usd"])
    book_owed(intent, owed.units, owed.usd)
    if is_more:
        _LOGGER.error("funds_owed: %s USD more left intent %s than its chain still shows", owed.usd, intent.pk)
        tell(intent, "payment_intent.funds_owed")


def _money_came(intent: PaymentIntent, held: Balance, *, is_complete: bool) -> bool:
    """Whether a payment arrived since the last look. Why since: a top-up starts with money there.

    Source: docs/design/money.md, Dust.
    """
    news_usd = held.seen_usd - intent.received_usd
    return news_usd > 0 and (is_complete or not is_dust(intent, news_usd))


def _is_complete(intent: PaymentIntent, held: Balance) -> bool:
    """Whether what stays is what was asked for; a little less where it came over a bridge, and only for that part.

    Why not what the merchant accepted: it accepted what had arrived then. Where some of that is lost, it is asked anew.
    """
    if held.due == 0:
        return True
    over_bridges = intent.credits.filter(purpose="settlement", reversed_at=None, leg__kind=LegKind.BRIDGE)
    legs = Leg.objects.filter(pk__in=over_bridges.values("leg_id"))
    bridged = BaseUnits(sum(legs.values_list("min_output_base_units", flat=True)))
    return bool(bridged) and held.due <= tolerance_base_units(intent, bridged, policy_for(intent).tolerance_bps)


def _more_may_be_signed(attempt: PaymentAttempt, legs: Sequence[Leg]) -> bool:
    """Whether the payer is, or will be, asked for another leg. Why not after a failed one: the rest may not be due."""
    statuses = {leg.status for leg in legs}
    if LegStatus.FAILED in statuses:
        return False
    may_sign = attempt.signature_due_at is not None and attempt.signature_due_at > now()
    return (may_sign and LegStatus.AWAITING_SIGNATURE in statuses) or awaits_next_leg(attempt, legs)


def settle_as_accepted(intent: PaymentIntent, *, actor: str) -> None:
    """Settle a partly filled intent with what arrived, by its merchant's word.

    Locks: the caller holds the intent's lock, and schedules its next look afterwards.
    """
    way = underway(intent)
    _settle(intent, balance(intent), way, "accept_partial", reason=ACCEPTED_PARTIAL, actor=actor)


def _settle(  # noqa: PLR0913 - what is told of it, each by its name
    intent: PaymentIntent, held: Balance, way: Underway, trigger: str, *, reason: str = "", actor: str = WORKER
) -> None:
    """Record the final figures. Why ``restore``: an intent is told to be settled once, ever. Source: docs/live.md."""
    if intent.settled_less_usd is None:
        intent.settled_less_usd = held.returned.usd
    else:
        trigger = "restore"  # that figure is written when an intent is settled, and stays
    figures = _figures(intent, held.received.usd, way.legs)
    for attempt in way.executing:
        legs = way.legs_of(attempt)
        if not any(leg.status in FLYING_LEG for leg in legs):
            close_attempt(attempt, legs, "confirm")
    end_open_attempts(way, "the payment was settled")
    apply_trigger(
        intent,
        trigger,
        actor=actor,
        reason=reason,
        **figures,
        settled_less_usd=intent.settled_less_usd,
        settled_at=now(),
        settled_reason=reason,
        in_doubt=False,
        last_error_code="",
        last_error_message="",
    )
    announce_settled(intent)
    if trigger != "restore":
        _note_time(intent, way)
    if intent.overpaid_usd > 0:
        tell(intent, "payment_intent.overpaid")


def _note_time(intent: PaymentIntent, way: Underway) -> None:
    """For operators: what a payer who has signed waits for."""
    began = min((leg.submitted_at for leg in way.legs if leg.submitted_at is not None), default=None)
    if began is not None:
        SETTLES.observe(intent.mode, intent.settlement_chain, seconds=max(now() - began, timedelta(0)).total_seconds())


def _figures(intent: PaymentIntent, received_usd: UsdAmount, legs: Iterable[Leg]) -> dict[str, UsdAmount]:
    """What the merchant got of a settled intent: not what had gone back to payers before, nor the fee paid on top.

    Source: docs/adr/0051.
    """
    net = UsdAmount(received_usd - (intent.settled_less_usd or ZERO_USD))
    surplus = UsdAmount(net - intent.amount)
    # What the calls that went through gave the operator, on top of what arrived.
    fee = sum((leg.platform_fee_usd for leg in legs if leg.status == LegStatus.CONFIRMED), ZERO_USD)
    return {
        "received_usd": received_usd,
        "overpaid_usd": surplus if surplus > intent.amount * SLIPPAGE_RATE else ZERO_USD,
        "platform_fee_usd": UsdAmount(fee),
        "net_settlement_usd": net,
    }


def _begin_execution(intent: PaymentIntent, _held: Balance, way: Underway, trigger: str) -> None:
    """A payment was found on chain, of which nobody had said that it was sent."""
    make_way(intent, way, "a payment was found on chain")
    apply_trigger(intent, trigger, actor=WORKER, reason="found on chain")


def _end_execution(intent: PaymentIntent, _held: Balance, way: Underway, trigger: str) -> None:
    """Everything that was sent has ended and the target was not reached."""
    attempts = way.executing
    code, message = _ending(_legs_of_execution(way))
    for attempt in attempts:
        own = way.legs_of(attempt)
        close_attempt(attempt, own, "fail" if _ending(own)[0] else "confirm")
    if trigger in _ENDS_OTHERS:
        # Why: they ask for what was missing before, or for what is over. What their wallets sign all the same counts.
        end_open_attempts(way, _ENDS_OTHERS[trigger])
    failure = {"failure_reason": code} if trigger == "fail" else {}
    apply_trigger(
        intent, trigger, actor=WORKER, reason=code, last_error_code=code, last_error_message=message, **failure
    )
    if trigger != "fail":
        follow_attempts(intent)


def _legs_of_execution(way: Underway) -> list[Leg]:
    """The legs of the attempts that execute; without an attempt, the one that was found on chain."""
    if way.executing:
        return [leg for attempt in way.executing for leg in way.legs_of(attempt)]
    sent = [leg for leg in way.legs if leg.tx_hash or leg.error == TAKEN]
    return sorted(sent, key=lambda leg: (leg.updated_at, leg.sequence))[-1:]


def _ending(legs: list[Leg]) -> tuple[str, str]:
    became = {leg.status for leg in legs}
    if LegStatus.REFUNDED not in became and any(leg.error == UNFILLED for leg in legs):
        return _UNFILLED
    if any(leg.error == TAKEN for leg in legs):
        return _TAKEN
    return next((ending for status, ending in _ENDINGS.items() if status in became), ("", ""))


def _is_news(intent: PaymentIntent, way: Underway) -> bool:
    """Whether less than the target is there that was not told: something new came, or nothing was told yet."""
    topped_up = any(leg.status == LegStatus.CONFIRMED for leg in _legs_of_execution(way))
    return topped_up or not intent.history.filter(to_status=IntentStatus.PARTIALLY_FILLED).exists()


def _reverse(intent: PaymentIntent, held: Balance, way: Underway, trigger: str) -> None:
    """A reorganisation took money back from what was settled: it is open again."""
    figures = dict.fromkeys(("platform_fee_usd", "net_settlement_usd", "settled_at"))
    is_taken = any(leg.status == LegStatus.FAILED and leg.error == TAKEN for leg in way.legs)
    apply_trigger(
        intent,
        trigger,
        actor=WORKER,
        reason="counted for another payment" if is_taken else "removed by a reorganisation",
        **figures,
        received_usd=held.received.usd,
        overpaid_usd=ZERO_USD,
        settled_reason="",
    )
    intent.settled_less_usd = balance(intent).unsettled.usd
    intent.save(update_fields=["settled_less_usd"])
    announce_movement(intent)


def _note_less(intent: PaymentIntent, held: Balance, way: Underway, _trigger: str) -> None:
    """A reorganisation took money back, and the status stays."""
    is_settled = intent.status == IntentStatus.SETTLED
    received_usd = held.received.usd
    _write(intent, _figures(intent, received_usd, way.legs) if is_settled else {"received_usd": received_usd})


def _write(intent: PaymentIntent, figures: Mapping[str, UsdAmount]) -> None:
    for name, value in figures.items():
        setattr(intent, name, value)
    intent.save(update_fields=list(figures))


def _accept_late(intent: PaymentIntent, held: Balance, way: Underway, trigger: str) -> None:
    """Settle what had expired: it was paid in time, or the merchant takes late money.

    Never for what was cancelled. Source: docs/adr/0005; docs/guides/dashboard.md, Settings and look.
    """
    _write(intent, {"received_usd": held.received.usd})
    _settle(intent, held, way, trigger, reason=_reason_to_accept(intent))


def _note_late(intent: PaymentIntent, held: Balance, _way: Underway, _trigger: str) -> None:
    """Money for an intent that had ended: recorded and told; the status stays."""
    _write(intent, {"received_usd": held.received.usd})
    tell(intent, "payment_intent.late_payment")


def _reason_to_accept(intent: PaymentIntent) -> str:
    """Why what came for an expired intent settles it; empty where it does not."""
    if not intent.credits.filter(purpose="settlement", reversed_at=None, late=True).exists():
        return PAID_BEFORE_EXPIRY
    return PAID_LATE if policy_for(intent).late == LatePolicy.SETTLE else ""


def _note_surplus(intent: PaymentIntent, held: Balance, way: Underway, _trigger: str) -> None:
    """Count what came after an intent was settled, say from a wallet that sent what its owner had declined."""
    _write(intent, _figures(intent, held.received.usd, way.legs))
    if intent.overpaid_usd > 0:
        tell(intent, "payment_intent.overpaid")
    elif intent.settled_reason == ACCEPTED_PARTIAL:
        # Why told: the merchant had settled for less, and did not expect the rest any more.
        tell(intent, "payment_intent.late_payment")


_ENDS_OTHERS = {"fill_partly": "a part of the payment arrived", "fail": "the payment failed"}
"""By how an execution ends: why the other open attempts end with it."""
_APPLIED: Mapping[str, Callable[[PaymentIntent, Balance, Underway, str], None]] = {
    "observe_credit": _begin_execution,
    "reverse": _reverse,
    "accept_late": _accept_late,
    "settle": _settle,
    **dict.fromkeys(("fill_partly", "end_top_up", "end_attempt", "fail"), _end_execution),
    Note.OWED: _note_owed,
    Note.PROGRESS: _note_progress,
    Note.LESS: _note_less,
    Note.SURPLUS: _note_surplus,
    Note.LATE: _note_late,
}
"""How what follows by ``payments.rules`` is written down."""
