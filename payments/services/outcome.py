"""What the credits of an intent amount to: settled, partly filled, ended, or wait."""

from core.clock import now
from core.money import ZERO_USD, BaseUnits, UsdAmount
from core.transitions import move
from payments.amounts import SLIPPAGE_RATE, due_base_units, is_dust, tolerance_base_units, value_at_frozen_rate
from payments.models import LatePolicy, Leg, PaymentAttempt, PaymentIntent
from payments.routing.base import LegKind
from payments.selectors import policy_for
from payments.services.attempts import end_open_attempt
from payments.services.credits import final_settlement_units, seen_settlement_units, unsettled_credits_exist
from payments.services.schedule import UNFILLED, awaits_next_leg, open_attempt
from payments.services.transition import WORKER, apply_trigger, tell
from payments.states import (
    ATTEMPT_MACHINE,
    FLYING_LEG,
    INTENT_MACHINE,
    LEG_MACHINE,
    IntentStatus,
    LegStatus,
    Problem,
)

_ENDINGS = {
    LegStatus.REFUNDED: (Problem.BRIDGE_REFUNDED, "The bridge returned the money to the payer's wallet."),
    LegStatus.FAILED: (Problem.EXECUTION_FAILED, "The payment transaction did not go through; no money moved."),
    LegStatus.AWAITING_SIGNATURE: (Problem.SIGNATURE_MISSING, "Not every transaction of the payment was signed."),
}
"""By what became of a leg, the worst first: why the payment ended short, and the sentence that says it."""
_UNFILLED = (Problem.BRIDGE_UNFILLED, "The bridge could not deliver; it returns the money to the payer's wallet.")
"""Why apart from other failures: there the money never left the wallet."""


def conclude(intent: PaymentIntent) -> None:
    """Bring an intent in line with its credits and legs.

    Locks: the caller holds the intent's lock, and schedules its next look afterwards.
    """
    received = final_settlement_units(intent)
    received_usd = value_at_frozen_rate(intent, received)
    if intent.status in INTENT_MACHINE.terminal and received_usd < intent.received_usd:
        _note_loss(intent, received, received_usd)
        return
    if intent.status in INTENT_MACHINE.terminal:
        _note_late_money(intent, received, received_usd)
        return
    is_moving = _money_is_moving(intent, received)
    intent.received_usd = received_usd
    intent.in_doubt = intent.legs.filter(status=LegStatus.IN_DOUBT).exists()
    intent.save(update_fields=["received_usd", "in_doubt"])
    if intent.status != IntentStatus.EXECUTING and is_moving:
        end_open_attempt(intent, "a payment was found on chain")
        apply_trigger(intent, "observe_credit", actor=WORKER, reason="found on chain")
    if intent.status == IntentStatus.EXECUTING:
        _conclude_execution(intent, received)


def _money_is_moving(intent: PaymentIntent, received: BaseUnits) -> bool:
    """Whether a payment is on its way, or arrived since the last look. Why since: a top-up starts with money there.

    Source: rulings, Dust.
    """
    if intent.legs.filter(status__in=FLYING_LEG).exists():
        return True
    news_usd = value_at_frozen_rate(intent, seen_settlement_units(intent)) - intent.received_usd
    return news_usd > 0 and (_is_complete(intent, received) or not is_dust(intent, news_usd))


def _conclude_execution(intent: PaymentIntent, received: BaseUnits) -> None:
    if _is_complete(intent, received):
        _settle(intent, received)
    elif not _still_coming(intent):
        _end_execution(intent)


def _is_complete(intent: PaymentIntent, received: BaseUnits) -> bool:
    over_for_nothing = [LegStatus.FAILED, LegStatus.REFUNDED]
    bridged = intent.legs.filter(kind=LegKind.BRIDGE).exclude(status__in=over_for_nothing).exists()
    due = due_base_units(intent, received)
    if due == 0 or not bridged:
        return due == 0
    return due <= tolerance_base_units(intent, policy_for(intent).tolerance_bps)


def _still_coming(intent: PaymentIntent) -> bool:
    if intent.legs.filter(status__in=FLYING_LEG).exists() or unsettled_credits_exist(intent):
        return True
    attempt = open_attempt(intent)
    return attempt is not None and _more_may_be_signed(attempt)


def _more_may_be_signed(attempt: PaymentAttempt) -> bool:
    """Whether the payer is, or will be, asked for another leg. Why not after a failed one: the rest may not be due."""
    if attempt.legs.filter(status=LegStatus.FAILED).exists():
        return False
    may_sign = attempt.signature_due_at is not None and attempt.signature_due_at > now()
    handed_out = attempt.legs.filter(status=LegStatus.AWAITING_SIGNATURE).exists()
    return (may_sign and handed_out) or awaits_next_leg(attempt)


def _settle(intent: PaymentIntent, received: BaseUnits, *, trigger: str = "settle", reason: str = "") -> None:
    """Record the final figures. Why ``restore``: an intent is told to be settled once, ever. Source: rulings, C 10."""
    figures = _figures(intent, value_at_frozen_rate(intent, received))
    if intent.history.filter(to_status=IntentStatus.SETTLED).exists():
        trigger = "restore"
    _close_attempt(intent, "confirm")
    apply_trigger(
        intent,
        trigger,
        actor=WORKER,
        reason=reason,
        **figures,
        settled_at=now(),
        settled_reason=reason,
        in_doubt=False,
        last_error_code="",
        last_error_message="",
    )
    if intent.overpaid_usd > 0:
        tell(intent, "payment_intent.overpaid")


def _figures(intent: PaymentIntent, received_usd: UsdAmount) -> dict[str, UsdAmount]:
    """What the merchant got of a settled intent. Source: rulings, Platform fee (received = net + fee)."""
    surplus = UsdAmount(received_usd - intent.amount)
    return {
        "received_usd": received_usd,
        "overpaid_usd": surplus if surplus > intent.amount * SLIPPAGE_RATE else ZERO_USD,
        "platform_fee_usd": ZERO_USD,
        "net_settlement_usd": received_usd,
    }


def _end_execution(intent: PaymentIntent) -> None:
    """Everything that was sent has ended and the target was not reached."""
    attempt = open_attempt(intent)
    legs = _legs_of_execution(intent, attempt)
    code, message = _ending(legs)
    _close_attempt(intent, "fail" if code else "confirm")
    if intent.received_usd > 0:
        topped_up = any(leg.status == LegStatus.CONFIRMED for leg in legs)
        _end_short(intent, topped_up=topped_up, code=code, message=message)
    elif _may_try_again(intent, attempt):
        apply_trigger(
            intent, "end_attempt", actor=WORKER, reason=code, last_error_code=code, last_error_message=message
        )
    else:
        apply_trigger(
            intent,
            "fail",
            actor=WORKER,
            reason=code,
            failure_reason=code,
            last_error_code=code,
            last_error_message=message,
        )


def _legs_of_execution(intent: PaymentIntent, attempt: PaymentAttempt | None) -> list[Leg]:
    """The attempt's legs; without an attempt, the one that was found on chain."""
    if attempt is not None:
        return list(attempt.legs.all())
    return list(intent.legs.exclude(tx_hash="").order_by("-updated_at", "-sequence")[:1])


def _ending(legs: list[Leg]) -> tuple[str, str]:
    became = {leg.status for leg in legs}
    if LegStatus.REFUNDED not in became and any(leg.error == UNFILLED for leg in legs):
        return _UNFILLED
    return next((ending for status, ending in _ENDINGS.items() if status in became), ("", ""))


def _end_short(intent: PaymentIntent, *, topped_up: bool, code: str, message: str) -> None:
    """Less than the target arrived: announced when something new came, silent when a top-up brought nothing."""
    already_told = intent.history.filter(to_status=IntentStatus.PARTIALLY_FILLED).exists()
    trigger = "fill_partly" if topped_up or not already_told else "end_top_up"
    apply_trigger(intent, trigger, actor=WORKER, reason=code, last_error_code=code, last_error_message=message)


def _may_try_again(intent: PaymentIntent, attempt: PaymentAttempt | None) -> bool:
    hopeless = attempt is not None and attempt.scenario == "fail"
    return not hopeless and intent.expires_due_at > now()


def _close_attempt(intent: PaymentIntent, trigger: str) -> None:
    attempt = open_attempt(intent)
    if attempt is None or not ATTEMPT_MACHINE.allows(attempt.status, trigger):
        return
    for leg in attempt.legs.filter(status__in=[LegStatus.PLANNED, LegStatus.AWAITING_SIGNATURE]):
        move(LEG_MACHINE, leg, "fail", {"error": "no longer needed", "updated_at": now()})
    move(ATTEMPT_MACHINE, attempt, trigger)


def _note_loss(intent: PaymentIntent, received: BaseUnits, received_usd: UsdAmount) -> None:
    """A reorganisation took money back from an intent that had ended. One that was settled is open again."""
    figures = dict.fromkeys(("platform_fee_usd", "net_settlement_usd", "settled_at"))
    if intent.status == IntentStatus.SETTLED and not _is_complete(intent, received):
        apply_trigger(
            intent,
            "reverse",
            actor=WORKER,
            reason="removed by a reorganisation",
            **figures,
            received_usd=received_usd,
            overpaid_usd=ZERO_USD,
            settled_reason="",
        )
        return
    kept = _figures(intent, received_usd) if intent.status == IntentStatus.SETTLED else {"received_usd": received_usd}
    for name, value in kept.items():
        setattr(intent, name, value)
    intent.save(update_fields=list(kept))


def _note_late_money(intent: PaymentIntent, received: BaseUnits, received_usd: UsdAmount) -> None:
    """Money for an intent that had ended: recorded and told; the status stays unless it was paid in time.

    Or the merchant takes late money, too, for what expired; never for what was cancelled. Source: rulings, C 1.
    """
    if received_usd == intent.received_usd:
        return
    if intent.status == IntentStatus.SETTLED:
        _note_surplus(intent, received_usd)
        return
    intent.received_usd = received_usd
    intent.save(update_fields=["received_usd"])
    reason = _reason_to_accept(intent) if intent.status == IntentStatus.EXPIRED else ""
    if reason and _is_complete(intent, received):
        _settle(intent, received, trigger="accept_late", reason=reason)
    else:
        tell(intent, "payment_intent.late_payment")


def _reason_to_accept(intent: PaymentIntent) -> str:
    """Why what came for an expired intent settles it; empty where it does not."""
    if not intent.credits.filter(purpose="settlement", reversed_at=None, late=True).exists():
        return "paid_before_expiry"
    return "late_payment" if policy_for(intent).late == LatePolicy.SETTLE else ""


def _note_surplus(intent: PaymentIntent, received_usd: UsdAmount) -> None:
    """Count what came after an intent was settled, say from a wallet that sent what its owner had declined."""
    figures = _figures(intent, received_usd)
    for name, value in figures.items():
        setattr(intent, name, value)
    intent.save(update_fields=list(figures))
    if intent.overpaid_usd > 0:
        tell(intent, "payment_intent.overpaid")
