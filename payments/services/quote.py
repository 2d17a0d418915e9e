"""Making a firm quote: ask outside with no transaction open, decide, then store everything that was weighed."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypedDict
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from chains.registry import Family, confirmations_required
from core.clock import now
from core.money import ZERO_USD, UsdAmount, to_decimal_string
from core.transitions import move
from payments.models import Leg, PaymentAttempt, PaymentIntent, RouteCandidate
from payments.routing.assets import dollars_up, value_usd
from payments.routing.balances import look
from payments.routing.base import Candidate, Plan, RouteOffer, Why
from payments.routing.planning import NO_PRICE, plan_payment
from payments.routing.registry import advisor_for, ask_providers
from payments.routing.risks import current_risks
from payments.routing.scoring import cost_usd, paid_usd
from payments.scenarios import QUOTE_EXPIRED
from payments.services.attempts import QUOTE_LIFETIME
from payments.services.rate import freeze
from payments.services.schedule import schedule_next_look
from payments.services.side_by_side import withdraw
from payments.services.target import destination_of, goal_of
from payments.services.transition import PAYER, WORKER, apply_trigger, locked_intent
from payments.states import (
    ATTEMPT_MACHINE,
    LEG_MACHINE,
    TIME_RAN_OUT,
    AttemptStatus,
    IntentStatus,
    LegStatus,
    Problem,
)

MOST_ROUTES = 12
"""How many of those that were weighed a payer is shown: kept with the quote, so that showing them asks nothing."""
NOT_ALLOWED = "This settlement token is not allowed any more."


def make_quote(intent_id: UUID, attempt_id: UUID) -> None:
    """Plan the payment an attempt wishes for and store the outcome, chosen or refused."""
    intent = PaymentIntent.objects.get(pk=intent_id)
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    plan = _plan(intent, attempt)
    with transaction.atomic():
        intent = locked_intent(intent_id)
        attempt = PaymentAttempt.objects.get(pk=attempt_id)
        if attempt.status in (AttemptStatus.QUOTING, AttemptStatus.QUOTED):
            store_plan(intent, attempt, plan)
        if attempt.status == AttemptStatus.QUOTED and attempt.scenario == QUOTE_EXPIRED:
            withdraw(intent, attempt, TIME_RAN_OUT)
        schedule_next_look(intent)


def _plan(intent: PaymentIntent, attempt: PaymentAttempt) -> Plan:
    destination = destination_of(intent)
    if destination is None or destination.usd_price <= 0:
        return Plan(legs=(), candidates=(), reason="", refusal=NOT_ALLOWED if destination is None else NO_PRICE)
    goal = goal_of(intent, destination, attempt.payer_address, attempt.scenario)
    holdings = look(goal.mode, Family(attempt.family), attempt.payer_address, goal)
    asked = (attempt.chain, attempt.token_address)
    requested = next((held.asset for held in holdings if (held.asset.chain, held.asset.address) == asked), None)
    return plan_payment(goal, holdings, ask_providers, advisor_for(goal.mode), requested, current_risks(goal.mode))


def store_plan(intent: PaymentIntent, attempt: PaymentAttempt, plan: Plan) -> None:
    """Store what was weighed and what came of it: a quote, or a refusal. Locks: the caller holds the intent's."""
    attempt.route_candidates.all().delete()
    attempt.legs.filter(status=LegStatus.PLANNED).delete()
    RouteCandidate.objects.bulk_create([_candidate(intent, attempt, candidate) for candidate in plan.candidates])
    if plan.legs:
        accept_plan(intent, attempt, plan)
    else:
        _refuse(intent, attempt, plan.refusal or "No route works right now.")


def accept_plan(intent: PaymentIntent, attempt: PaymentAttempt, plan: Plan) -> None:
    """Store what a plan chose: the attempt is quoted, its legs planned. Locks: the caller holds the intent's lock."""
    first = plan.legs[0].request
    freeze(intent, first.destination)
    intent.last_error_code = intent.last_error_message = ""
    intent.save(update_fields=["last_error_code", "last_error_message"])
    number = intent.legs.aggregate(last=Max("sequence"))["last"] or 0
    for offset, offer in enumerate(plan.legs, start=1):
        _leg(intent, attempt, number + offset, offer).save(force_insert=True)
    figures = {
        "chain": first.source.chain,
        "token": first.source.symbol,
        "token_address": first.source.address,
        "pay_usd": _sum(dollars_up(value_usd(offer.request.source, offer.input_base_units)) for offer in plan.legs),
        "fee_usd": _sum(offer.fee_usd for offer in plan.legs),
        "gas_usd": _sum(offer.gas_usd for offer in plan.legs),
        "total_usd": dollars_up(sum((paid_usd(offer) for offer in plan.legs), Fraction(0))),
        "duration_sec": max(offer.duration_sec for offer in plan.legs),
        "due_base_units": sum(offer.min_output_base_units for offer in plan.legs),
        "route_reason": plan.reason[:300],
        "routes": shown_routes(plan.candidates),
        "lapses_at": now() + QUOTE_LIFETIME,
        "refresh_wanted": False,
    }
    move(ATTEMPT_MACHINE, attempt, "refresh" if attempt.status == AttemptStatus.QUOTED else "quote", figures)
    if intent.status not in (IntentStatus.QUOTED, IntentStatus.AWAITING_SIGNATURE):
        apply_trigger(intent, "quote", actor=PAYER, reason=plan.reason)


def _refuse(intent: PaymentIntent, attempt: PaymentAttempt, refusal: str) -> None:
    code = Problem.PRICE_UNAVAILABLE if refusal == NO_PRICE else Problem.ROUTE_UNAVAILABLE
    if attempt.status == AttemptStatus.QUOTED:
        withdraw(intent, attempt, refusal)
    else:
        move(ATTEMPT_MACHINE, attempt, "fail", {"error_code": code})
    if intent.status == IntentStatus.CREATED:
        apply_trigger(intent, "await_payment", actor=WORKER)
    intent.last_error_code, intent.last_error_message = code, refusal[:300]
    intent.save(update_fields=["last_error_code", "last_error_message"])


def _candidate(intent: PaymentIntent, attempt: PaymentAttempt, candidate: Candidate) -> RouteCandidate:
    offer = candidate.offer
    return RouteCandidate(
        merchant_id=intent.merchant_id,
        mode=intent.mode,
        intent=intent,
        attempt=attempt,
        provider=offer.provider,
        chosen=candidate.chosen,
        ai_pick=candidate.ai_pick,
        score=candidate.score,
        from_chain=offer.request.source.chain,
        to_chain=offer.request.destination.chain,
        from_token=offer.request.source.symbol,
        to_token=offer.request.destination.symbol,
        to_amount_usd=offer.to_amount_usd,
        fee_usd=offer.fee_usd,
        gas_usd=offer.gas_usd,
        duration_sec=offer.duration_sec,
        reason=candidate.reason,
        error=candidate.error,
        raw=offer.raw,
    )


def _leg(intent: PaymentIntent, attempt: PaymentAttempt, sequence: int, offer: RouteOffer) -> Leg:
    return Leg(
        merchant_id=intent.merchant_id,
        mode=intent.mode,
        intent=intent,
        attempt=attempt,
        status=LEG_MACHINE.initial,
        sequence=sequence,
        kind=offer.kind,
        provider=offer.provider,
        tool=str(offer.raw.get("tool", ""))[:64],
        chain=offer.request.source.chain,
        to_chain=offer.request.destination.chain,
        token=offer.request.source.symbol,
        to_token=offer.request.destination.symbol,
        token_address=offer.request.source.address,
        token_decimals=offer.request.source.decimals,
        to_token_decimals=offer.request.destination.decimals,
        input_base_units=offer.input_base_units,
        min_output_base_units=offer.min_output_base_units,
        amount_usd=offer.to_amount_usd,
        fee_usd=offer.fee_usd,
        gas_usd=offer.gas_usd,
        typical_seconds=offer.duration_sec,
        confirmations_required=confirmations_required(offer.request.destination.chain),
        payer_address=attempt.payer_address,
    )


def _sum(amounts: Iterable[UsdAmount]) -> UsdAmount:
    return UsdAmount(sum(amounts, Decimal(ZERO_USD)))


class ShownRoute(TypedDict):
    """One way that was weighed. Without figures where it was refused: then they mean nothing.

    ``cost_usd`` is what the payer loses on it in all, network fee included.
    """

    provider: str
    chain: str
    token: str
    chosen: bool
    cost_usd: str | None
    duration_sec: int | None
    why: Why


def shown_routes(candidates: Sequence[Candidate]) -> list[ShownRoute]:
    """The chosen ones first, then what would work, the best first, then what was refused."""
    ordered = sorted(candidates, key=lambda one: (not one.chosen, one.error is not None, -one.score))
    return [_shown(candidate) for candidate in ordered[:MOST_ROUTES]]


def _shown(candidate: Candidate) -> ShownRoute:
    offer, works = candidate.offer, candidate.error is None
    return ShownRoute(
        provider=offer.provider,
        chain=offer.request.source.chain,
        token=offer.request.source.symbol,
        chosen=candidate.chosen,
        cost_usd=to_decimal_string(dollars_up(max(cost_usd(offer), Fraction(0)))) if works else None,
        duration_sec=offer.duration_sec if works else None,
        why=candidate.why,
    )
