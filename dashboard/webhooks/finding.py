"""Webhooks elsewhere on the dashboard: what needs somebody, the search box, the first steps."""

from collections.abc import Iterator

from django.db.models import QuerySet

from core.ids import parse_public_id
from dashboard.cards import SearchResult, Task
from dashboard.visit import Visit
from dashboard.webhooks.events import PREFIX
from dashboard.webhooks.words import OUTCOMES
from webhooks.models import Delivery, Event
from webhooks.selectors import endpoints_of
from webhooks.states import DisabledReason, Outcome


def endpoints_in_need(visit: Visit) -> Iterator[Task]:
    """Endpoints that fail, and those that were switched off because they did."""
    mine, url = endpoints_of(visit.principal), visit.url("endpoints")
    by_us = mine.filter(enabled=False).exclude(disabled_reason=DisabledReason.BY_MERCHANT)
    failing = mine.filter(enabled=True, failing_since__isnull=False)
    yield Task(count=by_us, words="Webhook endpoints were switched off.", url=url, tone="bad")
    yield Task(count=failing, words="Webhook endpoints are failing.", url=url, tone="bad")


def find_webhooks(visit: Visit, text: str) -> Iterator[SearchResult]:
    """The event, delivery or endpoint with this id."""
    key = parse_public_id(text, PREFIX)
    if key is None:
        return
    if text.startswith(PREFIX):
        for event in Event.objects.visible_to(visit.principal).filter(pk=f"{PREFIX}{key.hex}").defer("payload"):
            yield SearchResult(
                kind="Event", title=event.type, detail=event.pk, url=visit.url("event", event_id=event.pk)
            )
        return
    deliveries = Delivery.objects.visible_to(visit.principal).select_related("event", "endpoint").filter(pk=key)
    for delivery in deliveries.defer("event__payload"):
        label = OUTCOMES[Outcome(delivery.outcome)].word
        url = visit.url("delivery", delivery_id=delivery.pk)
        yield SearchResult(
            kind="Delivery", title=f"{delivery.event.type} to {delivery.endpoint.title}", detail=label, url=url
        )
    for endpoint in endpoints_of(visit.principal).filter(pk=key):
        url = visit.url("endpoint", endpoint_id=endpoint.pk)
        yield SearchResult(kind="Webhook endpoint", title=endpoint.title, detail=", ".join(endpoint.events), url=url)


def deliveries_that_arrived(visit: Visit) -> QuerySet[Delivery]:
    """What reached an endpoint that is still registered."""
    mine = endpoints_of(visit.principal).order_by().values("pk")
    return Delivery.objects.filter(endpoint__in=mine, outcome=Outcome.DELIVERED)
