"""The checker of reliability's invariants: reads every row of a database and says what can not be true.

Written from the design texts, not from the code: where the service has a table of its own, there is another here.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.db.models import F, ForeignKey, Q

from chains.models import SimulatedTransaction
from core.secrets import decrypt
from merchants.models import IdempotencyRecord
from payments.models import Credit, PaymentIntent
from webhooks.models import Delivery, Event, Subscription

FLOW = {
    "": {"created"},
    "created": {"requires_payment", "quoted", "executing", "expired", "cancelled"},
    "requires_payment": {"quoted", "executing", "expired", "cancelled"},
    "quoted": {"requires_payment", "partially_filled", "awaiting_signature", "executing", "expired", "cancelled"},
    "awaiting_signature": {"quoted", "requires_payment", "partially_filled", "executing", "expired", "cancelled"},
    "executing": {"settled", "partially_filled", "requires_payment", "failed"},
    "partially_filled": {"quoted", "executing", "settled", "expired", "refunded"},
    "settled": {"refunded", "executing"},
    "failed": {"refunded"},
    "expired": {"refunded", "settled"},
    "cancelled": {"refunded"},
    "refunded": set(),
}
"""Source: contract, PaymentIntent state machine; rulings, Intent, attempts, credits 1."""
TOLD = {
    "create": "created",
    "quote": "quoted",
    "sign": "executing",
    "observe_credit": "executing",
    "fill_partly": "partially_filled",
    "settle": "settled",
    "accept_partial": "settled",
    "accept_late": "settled",
    "fail": "failed",
    "expire": "expired",
    "cancel": "cancelled",
    "refund": "refunded",
    "reverse": "settlement_reversed",
    "restore": "settlement_restored",
}
"""The event of each trigger; the others are silent. Source: contract, Webhook event catalogue."""
TOLD_WITHOUT_A_TRANSITION = {"payment_intent.late_payment", "payment_intent.overpaid"}
WAITING = {"created", "requires_payment", "quoted", "awaiting_signature", "executing", "partially_filled"}
MOST_ATTEMPTS = 8


def each_chain_event_credits_once() -> Iterator[str]:
    """I3: one credit per chain event, and what an intent received is the sum of its final credits."""
    keys = Counter(Credit.objects.values_list("network", "chain", "tx_hash", "kind", "position"))
    yield from (f"I3 chain event {key} credited {count} times" for key, count in keys.items() if count > 1)
    for intent in PaymentIntent.objects.exclude(target_base_units=None):
        units = sum(credit.base_units for credit in _final_credits(intent))
        expected = int(intent.amount * 1_000_000) * units // int(intent.target_base_units or 1)
        if int(intent.received_usd * 1_000_000) != expected:
            yield f"I3 intent {intent.pk} says it received {intent.received_usd}, its credits say {expected} micros"


def each_history_is_a_path() -> Iterator[str]:
    """I4: every history starts at the beginning, follows allowed steps, and ends where the intent is."""
    for intent in PaymentIntent.objects.prefetch_related("history"):
        status = ""
        for line in intent.history.all():
            if line.from_status != status or line.to_status not in FLOW[status]:
                yield f"I4 intent {intent.pk} went from {status} by {line.from_status}>{line.to_status}"
            status = line.to_status
        if status != intent.status:
            yield f"I4 intent {intent.pk} is {intent.status}, its history ends in {status}"


def each_transition_is_told_once() -> Iterator[str]:
    """I5: the events of an intent are those of its history, in its order, numbered without a gap."""
    for intent in PaymentIntent.objects.prefetch_related("history"):
        events = list(Event.objects.filter(resource_id=intent.pk).order_by("sequence"))
        expected = [f"payment_intent.{TOLD[line.trigger]}" for line in intent.history.all() if line.trigger in TOLD]
        told = [event.type for event in events if event.type not in TOLD_WITHOUT_A_TRANSITION]
        if told != expected:
            yield f"I5 intent {intent.pk} told {told}, its history says {expected}"
        if [event.sequence for event in events] != list(range(1, intent.event_sequence + 1)):
            yield f"I5 intent {intent.pk} numbered its events {[event.sequence for event in events]}"
        if told.count("payment_intent.settled") > 1:
            yield f"I5 intent {intent.pk} told twice that it is settled"
        for event in events:
            yield from _wrong_envelope(event, intent)


def _wrong_envelope(event: Any, intent: Any) -> Iterator[str]:
    envelope = json.loads(event.payload)
    named = (envelope["id"], envelope["type"], envelope["sequence"], envelope["data"]["id"], envelope["mode"])
    if named != (event.id, event.type, event.sequence, str(intent.pk), intent.mode):
        yield f"I5 event {event.id} carries the envelope {named}"


def each_event_has_its_deliveries() -> Iterator[str]:
    """I6: one delivery per event and endpoint that wanted it then; each one is done, given up, or due."""
    pairs = Counter(Delivery.objects.values_list("event_id", "endpoint_id"))
    yield from (
        f"I6 event {event} has {count} deliveries to one endpoint" for (event, _), count in pairs.items() if count > 1
    )
    for event in Event.objects.exclude(fanned_out_at=None):
        wanted, made = _endpoints_that_wanted(event), {endpoint for key, endpoint in pairs if key == event.id}
        at_fan_out = {row.endpoint_id for row in event.deliveries.all() if row.created_at == event.fanned_out_at}
        if wanted - made or at_fan_out - wanted:
            yield f"I6 event {event.id} went to {made}, wanted by {wanted}"
    for delivery in Delivery.objects.prefetch_related("tries", "endpoint__subscriptions"):
        yield from _impossible_delivery(delivery)


def _endpoints_that_wanted(event: Any) -> set[Any]:

    names = {"*", event.type, f"{event.type.partition('.')[0]}.*"}
    dated = Subscription.objects.filter(
        merchant_id=event.merchant_id, mode=event.mode, valid_from__lte=event.occurred_at
    )
    return {
        subscription.endpoint_id
        for subscription in dated
        if names & set(subscription.events)
        and (subscription.valid_to is None or subscription.valid_to > event.occurred_at)
    }


def _impossible_delivery(delivery: Any) -> Iterator[str]:
    tries = list(delivery.tries.all())
    accepted = any(attempt.response_status and 200 <= attempt.response_status < 300 for attempt in tries)
    switched_off = any(subscription.valid_to for subscription in delivery.endpoint.subscriptions.all())
    possible = {
        "delivered": accepted,
        "exhausted": delivery.attempts - delivery.attempts_before >= MOST_ATTEMPTS,
        "cancelled": switched_off,
        "due": delivery.next_attempt_at is not None,
    }
    if not possible[delivery.outcome]:
        yield f"I6 delivery {delivery.pk} is {delivery.outcome} after {[attempt.response_status for attempt in tries]}"
    if any(attempt.number > delivery.attempts for attempt in tries):
        yield f"I6 delivery {delivery.pk} has an attempt beyond {delivery.attempts}"


def nothing_waits_for_nobody() -> Iterator[str]:
    """I7, its half that holds at every moment: what is not over has a time at which it is looked at."""
    stuck = PaymentIntent.objects.filter(status__in=WAITING, next_attempt_at=None)
    yield from (f"I7 intent {intent.pk} is {intent.status} and nobody will look at it" for intent in stuck)


def each_key_made_one_thing() -> Iterator[str]:
    """I8: one answer per key, and what it names exists. Tests write the key they send into ``reference``."""
    keys = Counter(IdempotencyRecord.objects.values_list("scope", "key"))
    yield from (f"I8 key {key} has {count} answers" for key, count in keys.items() if count > 1)
    for record in IdempotencyRecord.objects.all():
        answer = json.loads(decrypt(bytes(record.answer)))
        if "checkout_url" in answer and not PaymentIntent.objects.filter(pk=answer["id"]).exists():
            yield f"I8 key {record.key} answers with intent {answer['id']}, which does not exist"
    sent = Counter(PaymentIntent.objects.exclude(reference="").values_list("merchant_id", "mode", "reference"))
    yield from (f"I8 reference {reference[2]} has {count} intents" for reference, count in sent.items() if count > 1)


def no_row_joins_two_tenants() -> Iterator[str]:
    """I9 and I10: a child and its parent belong to the same merchant and the same mode. Reads every model there is."""

    def is_tenant(model: Any) -> bool:
        return {"merchant", "mode"} <= {field.name for field in model._meta.get_fields()}

    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, ForeignKey) and is_tenant(model) and is_tenant(field.related_model):
                parent = field.name
                foreign = Q(**{f"{parent}__isnull": False}) & (
                    ~Q(**{f"{parent}__merchant": F("merchant")}) | ~Q(**{f"{parent}__mode": F("mode")})
                )
                rows = model._default_manager.filter(foreign).values_list("pk", flat=True)
                yield from (f"I9/I10 {model.__name__} {pk} and its {parent} have two owners" for pk in rows)
    yield from _foreign_events()


def _foreign_events() -> Iterator[str]:

    owners = {pk: owner for pk, *owner in PaymentIntent.objects.values_list("pk", "merchant_id", "mode")}
    for event, resource, *owner in Event.objects.values_list("id", "resource_id", "merchant_id", "mode"):
        if resource in owners and owners[resource] != owner:
            yield f"I9/I10 event {event} belongs to {owner}, its intent to {owners[resource]}"


def settled_means_paid() -> Iterator[str]:
    """I14: a settled intent has final transfers to the merchant's address that reach the target or its tolerance."""
    for intent in PaymentIntent.objects.filter(status="settled").exclude(settled_reason="accepted_partial"):
        units = sum(credit.base_units for credit in _final_credits(intent))
        bridged = intent.legs.filter(kind="bridge").exists()
        allowed = min(intent.amount * Decimal("0.005"), Decimal("0.10")) if bridged else Decimal(0)
        target = Decimal(intent.target_base_units or 0)
        if not target or units < target - target * allowed / intent.amount:
            yield f"I14 intent {intent.pk} is settled with {units} of {target}"
        parts = [part or Decimal(0) for part in (intent.net_settlement_usd, intent.platform_fee_usd)]
        if not intent.settled_at or intent.received_usd != sum(parts):
            yield f"I14/I15 intent {intent.pk} is settled with figures that do not add up"


def _final_credits(intent: Any) -> list[Any]:
    """What reached the merchant for good: the asset and address of the intent, standing and final."""
    return list(
        intent.credits.filter(
            purpose="settlement",
            reversed_at=None,
            final_at__isnull=False,
            chain=intent.settlement_chain,
            recipient=intent.settlement_address,
            token_address=intent.settlement_token_address,
        )
    )


def each_leg_was_sent_once() -> Iterator[str]:
    """I2 as test mode can show it: the simulated payer never sent a leg's transaction twice."""
    sent = Counter(SimulatedTransaction.objects.filter(role__in=["whole", "source"]).values_list("tag", flat=True))
    yield from (f"I2 leg {tag} was sent {count} times" for tag, count in sent.items() if count > 1)


INVARIANTS: tuple[Callable[[], Iterator[str]], ...] = (
    each_leg_was_sent_once,
    each_chain_event_credits_once,
    each_history_is_a_path,
    each_transition_is_told_once,
    each_event_has_its_deliveries,
    nothing_waits_for_nobody,
    each_key_made_one_thing,
    no_row_joins_two_tenants,
    settled_means_paid,
)


def violations() -> list[str]:
    """Everything in the database that can not be true; empty when all is well."""
    return [sentence for invariant in INVARIANTS for sentence in invariant()]
