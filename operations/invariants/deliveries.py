"""I6: one delivery for each event and each endpoint that wanted it then; each is done, given up, or due."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import prefetch_related_objects

from operations.invariants.scope import Scope
from webhooks.models import Delivery, Event, Subscription

MOST_ATTEMPTS = 8
"""Source: specification, Limits (delivery attempts)."""
UNSEEN = timedelta(seconds=5)
"""How long before its commit a subscription's change may be dated. Who fans out meanwhile does not see it."""


def each_event_has_its_deliveries(scope: Scope) -> Iterator[str]:
    """I6, from the event's side: nobody was forgotten, nobody is told twice."""
    for batch in scope.batches(Event, made="occurred_at"):
        dated = _subscriptions(batch)
        made: dict[str, list[Delivery]] = defaultdict(list)
        for delivery in Delivery.objects.filter(event__in=batch):
            made[delivery.event_id].append(delivery)
        for event in batch:
            for endpoint_id, times in Counter(delivery.endpoint_id for delivery in made[event.pk]).items():
                if times > 1:
                    yield f"I6 event {event.pk} has {times} deliveries to endpoint {endpoint_id}"
            if event.fanned_out_at is None:
                continue
            covering = {"*", event.type, f"{event.type.partition('.')[0]}.*"}
            some = [one for one in dated[event.merchant_id, event.mode] if covering & set(one.events)]
            wanted = {one.endpoint_id for one in some if _wanted(event, one)}
            sent = {delivery.endpoint_id for delivery in made[event.pk]}
            at_fan_out = {one.endpoint_id for one in made[event.pk] if one.created_at == event.fanned_out_at}
            surely = {one.endpoint_id for one in some if _wanted(event, one, begun=UNSEEN)}
            possibly = {one.endpoint_id for one in some if _wanted(event, one, ended=UNSEEN)}
            if surely - sent or at_fan_out - possibly:
                yield f"I6 event {event.pk} went to {sent}, wanted by {wanted}"


def _subscriptions(events: Sequence[Event]) -> dict[tuple[int, str], list[Subscription]]:
    """Every subscription of the merchants of some events, by merchant and mode, also those of before."""
    found: dict[tuple[int, str], list[Subscription]] = defaultdict(list)
    for one in Subscription.objects.filter(merchant_id__in={event.merchant_id for event in events}):
        found[one.merchant_id, one.mode].append(one)
    return found


def _wanted(
    event: Event, subscription: Subscription, *, begun: timedelta = timedelta(0), ended: timedelta = timedelta(0)
) -> bool:
    """Whether it was subscribed when the event happened: for so long already, or until so long before."""
    has_begun = subscription.valid_from + begun <= event.occurred_at
    return has_begun and (subscription.valid_to is None or subscription.valid_to + ended > event.occurred_at)


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
