"""I6: one delivery for each event and each endpoint that wanted it then; each is done, given up, or due."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import prefetch_related_objects

from operations.invariants.scope import Scope
from webhooks.models import Delivery, Event, Subscription

MOST_ATTEMPTS = 8
"""Source: specification, Limits (delivery attempts)."""


def each_event_has_its_deliveries(scope: Scope) -> Iterator[str]:
    """I6, from the event's side: nobody was forgotten, nobody is told twice."""
    for batch in scope.batches(Event, made="occurred_at"):
        dated = _subscriptions(batch)
        made: dict[str, list[Delivery]] = defaultdict(list)
        for delivery in Delivery.objects.filter(event__in=batch):
            made[delivery.event_id].append(delivery)
        for event in batch:
            yield from _twice(event, made[event.pk])
            if event.fanned_out_at is None:
                continue
            wanted = _endpoints_that_wanted(event, dated[event.merchant_id, event.mode])
            sent = {delivery.endpoint_id for delivery in made[event.pk]}
            at_fan_out = {one.endpoint_id for one in made[event.pk] if one.created_at == event.fanned_out_at}
            if wanted - sent or at_fan_out - wanted:
                yield f"I6 event {event.pk} went to {sent}, wanted by {wanted}"


def _twice(event: Event, made: Sequence[Delivery]) -> Iterator[str]:
    for endpoint_id, times in Counter(delivery.endpoint_id for delivery in made).items():
        if times > 1:
            yield f"I6 event {event.pk} has {times} deliveries to endpoint {endpoint_id}"


def _subscriptions(events: Sequence[Event]) -> dict[tuple[int, str], list[Subscription]]:
    """Every subscription of the merchants of some events, by merchant and mode, also those of before."""
    found: dict[tuple[int, str], list[Subscription]] = defaultdict(list)
    for one in Subscription.objects.filter(merchant_id__in={event.merchant_id for event in events}):
        found[one.merchant_id, one.mode].append(one)
    return found


def _endpoints_that_wanted(event: Event, dated: Sequence[Subscription]) -> set[UUID]:
    names = {"*", event.type, f"{event.type.partition('.')[0]}.*"}
    return {
        subscription.endpoint_id
        for subscription in dated
        if names & set(subscription.events)
        and subscription.valid_from <= event.occurred_at
        and (subscription.valid_to is None or subscription.valid_to > event.occurred_at)
    }


def each_delivery_is_possible(scope: Scope) -> Iterator[str]:
    """I6, from the delivery's side: its attempts explain where it stands."""
    for batch in scope.batches(Delivery):
        prefetch_related_objects(batch, "tries", "endpoint__subscriptions")
        for delivery in batch:
            yield from _impossible(delivery)


def _impossible(delivery: Any) -> Iterator[str]:
    tries = list(delivery.tries.all())
    answers = [attempt.response_status for attempt in tries]
    possible = {
        "delivered": any(answer and 200 <= answer < 300 for answer in answers),  # noqa: PLR2004 - any 2xx
        "exhausted": delivery.attempts - delivery.attempts_before >= MOST_ATTEMPTS,
        "cancelled": any(subscription.valid_to for subscription in delivery.endpoint.subscriptions.all()),
        "due": delivery.next_attempt_at is not None,
    }
    if not possible[delivery.outcome]:
        yield f"I6 delivery {delivery.pk} is {delivery.outcome} after {answers}"
    if any(attempt.number > delivery.attempts for attempt in tries):
        yield f"I6 delivery {delivery.pk} has an attempt beyond {delivery.attempts}"
