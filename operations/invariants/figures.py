"""I15 over the figures of an intent: fee and surplus are what arrived says, and nothing is less than nothing."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Q

from chains.models import Transfer
from core.clock import now
from operations.invariants.histories import EVENTS_KEPT
from operations.invariants.paths import RELEASED
from operations.invariants.scope import Scope
from payments.models import Credit, Leg, PaymentIntent
from payouts.models import Payout
from refunds.models import Refund
from webhooks.models import Event

SURPLUS_PART = Decimal("0.01")
"""What came beyond the amount, up to this part of it, is no overpayment. Source: docs/design/money.md, Surplus."""
NOTHING = Decimal(0)
OVERPAID = "payment_intent.overpaid"
MOVED: tuple[tuple[str, Any], ...] = (("refund", Refund), ("payout", Payout), ("transfer", Transfer))


def fee_is_what_the_legs_took(scope: Scope) -> Iterator[str]:
    """I15: the platform's fee of an intent is the sum of the fees that its own legs took."""
    for batch in scope.batches(PaymentIntent):
        named = [intent for intent in batch if intent.platform_fee_usd is not None]
        took: dict[UUID, Decimal] = defaultdict(Decimal)
        for leg in Leg.objects.filter(intent__in=named, status="confirmed"):
            took[leg.intent_id] += leg.platform_fee_usd
        for intent in named:
            if intent.platform_fee_usd != took[intent.pk]:
                fee = intent.platform_fee_usd
                yield f"I15 intent {intent.pk} names a platform fee of {fee}, its legs took {took[intent.pk]}"


def surplus_is_what_came_beyond(scope: Scope) -> Iterator[str]:
    """I15: ``overpaid_usd`` is what came beyond the amount, where that is more than a quote's slippage."""
    for batch in scope.batches(PaymentIntent):
        for intent in batch:
            beyond = intent.received_usd - (intent.settled_less_usd or NOTHING) - intent.amount
            expected = beyond if beyond > intent.amount * SURPLUS_PART else NOTHING
            if intent.status == "settled" and intent.overpaid_usd != expected:
                yield f"I15 intent {intent.pk} says {intent.overpaid_usd} USD came beyond its amount, it is {expected}"


def what_goes_back_is_noted(scope: Scope) -> Iterator[str]:
    """I1: what an intent says goes back, held or gone, is the sum of its refunds that are not over unpaid."""
    for batch in scope.batches(PaymentIntent):
        sums: dict[UUID, Decimal] = defaultdict(Decimal)
        living = Refund.objects.filter(intent__in=batch).exclude(status__in=RELEASED)
        for pk, amount in living.values_list("intent_id", "amount_usd"):
            sums[pk] += amount
        for intent in batch:
            if intent.returned_usd != sums[intent.pk]:
                yield f"I1 intent {intent.pk} says {intent.returned_usd} USD go back, its refunds {sums[intent.pk]}"


def surplus_was_announced(scope: Scope) -> Iterator[str]:
    """I5: an overpayment of a settled intent was announced. Why not of old rows: their events may have been purged."""
    kept = now() - EVENTS_KEPT
    scope = replace(scope, since=kept if scope.since is None else max(kept, scope.since))
    for batch in scope.batches(PaymentIntent):
        over = [intent for intent in batch if intent.status == "settled" and intent.overpaid_usd > 0]
        events = Event.objects.filter(resource_id__in=[intent.pk for intent in over], type=OVERPAID)
        announced = set(events.values_list("resource_id", flat=True))
        yield from (
            f"I5 intent {intent.pk} was overpaid by {intent.overpaid_usd} USD, and nobody was told"
            for intent in over
            if intent.pk not in announced
        )


def nothing_is_less_than_nothing(scope: Scope) -> Iterator[str]:
    """I15: no amount is below zero, and what was sent is not nothing."""
    for name, model in MOVED:
        empty = scope.rows(model).filter(base_units__lte=0)
        yield from (f"I15 {name} {pk} sends {units} base units" for pk, units in _units(empty))
    below = scope.rows(Credit, "observed_at").filter(base_units__lt=0)
    yield from (f"I15 credit {pk} counts {units} base units" for pk, units in _units(below))
    sums = ("received_usd", "overpaid_usd", "refunded_usd", "platform_fee_usd", "net_settlement_usd")
    wrong = Q(*[(f"{name}__lt", 0) for name in sums], _connector=Q.OR)
    for pk in scope.rows(PaymentIntent).filter(wrong).values_list("pk", flat=True).iterator():
        yield f"I15 intent {pk} has a sum below zero"


def _units(rows: Any) -> Iterator[tuple[Any, int]]:
    yield from rows.values_list("pk", "base_units").iterator()


def times_run_forwards(scope: Scope) -> Iterator[str]:
    """I14: nothing was paid before it was wished for."""
    for name, model in MOVED:
        early = [
            (pk, made, paid)
            for pk, made, paid in scope.rows(model)
            .filter(paid_at__isnull=False)
            .values_list("pk", "created_at", "paid_at")
            .iterator()
            if paid < made
        ]
        yield from (
            f"I14 {name} {pk} was paid at {paid:%Y-%m-%d %H:%M:%S}, before it was made" for pk, _, paid in early
        )
