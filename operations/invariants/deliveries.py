"""I6: one delivery for each event and each endpoint that wanted it then; each is done, given up, or due."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import Count, prefetch_related_objects

from operations.invariants.scope import Scope
from webhooks.models import Delivery, Event, Subscription

MOST_ATTEMPTS = 8
"""Source: specification, Limits (delivery attempts)."""


def each_event_has_its_deliveries(scope: Scope) -> Iterator[str]:
    """I6, from the event's side: nobody was forgotten, nobody is told twice."""
    twice = Delivery.objects.values_list("event_id", "endpoint_id").annotate(times=Count("id")).filter(times__gt=1)
    for event_id, endpoint_id, times in twice.order_by().iterator():
        yield f"I6 event {event_id} has {times} deliveries to endpoint {endpoint_id}"
    for batch in scope.batches(Event, made="occurred_at"):
        events = [event for event in batch if event.fanned_out_at is not None]
        made: dict[str, list[Delivery]] = defaultdict(list)
        for delivery in Delivery.objects.filter(event__in=events):
            made[delivery.event_id].append(delivery)
        for event in events:
            wanted, sent = _endpoints_that_wanted(event), {delivery.endpoint_id for delivery in made[event.pk]}
            at_fan_out = {one.endpoint_id for one in made[event.pk] if one.created_at == event.fanned_out_at}
            if wanted - sent or at_fan_out - wanted:
                yield f"I6 event {event.pk} went to {sent}, wanted by {wanted}"


def _endpoints_that_wanted(event: Event) -> set[UUID]:
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
