"""Webhooks elsewhere on the dashboard: what needs somebody, the search box, the first steps."""

from collections.abc import Iterator

from django.db.models import QuerySet

from core.ids import parse_public_id
from dashboard.site import Hit, Need, Step, Visit, site_of
from dashboard.webhooks.events import PREFIX
from dashboard.webhooks.words import OUTCOMES
from webhooks.models import Delivery, Event
from webhooks.selectors import endpoints_of
from webhooks.states import DisabledReason, Outcome


def endpoints_in_need(visit: Visit) -> Iterator[Need]:
    """Endpoints that fail, and those that were switched off because they did."""
    mine, url = endpoints_of(visit.principal), site_of(visit).url("endpoints")
    by_us = mine.filter(enabled=False).exclude(disabled_reason=DisabledReason.BY_MERCHANT)
    failing = mine.filter(enabled=True, failing_since__isnull=False)
    yield Need(count=by_us, words="Webhook endpoints were switched off.", url=url, tone="bad")
    yield Need(count=failing, words="Webhook endpoints are failing.", url=url, tone="bad")


def find_webhooks(visit: Visit, text: str) -> Iterator[Hit]:
    """The event, delivery or endpoint with this id."""
    key = parse_public_id(text, PREFIX)
    if key is None:
        return
    place = site_of(visit)
    if text.startswith(PREFIX):
        for event in Event.objects.visible_to(visit.principal).filter(pk=f"{PREFIX}{key.hex}").defer("payload"):
            yield Hit(kind="Event", title=event.type, detail=event.pk, url=place.url("event", event_id=event.pk))
        return
    deliveries = Delivery.objects.visible_to(visit.principal).select_related("event", "endpoint").filter(pk=key)
    for delivery in deliveries.defer("event__payload"):
        label = OUTCOMES[Outcome(delivery.outcome)].word
        url = place.url("delivery", delivery_id=delivery.pk)
        yield Hit(kind="Delivery", title=f"{delivery.event.type} to {delivery.endpoint.url}", detail=label, url=url)
    for endpoint in endpoints_of(visit.principal).filter(pk=key):
        url = place.url("endpoint", endpoint_id=endpoint.pk)
        yield Hit(kind="Webhook endpoint", title=endpoint.url, detail=", ".join(endpoint.events), url=url)


def deliveries_that_arrived(visit: Visit) -> QuerySet[Delivery]:
    """What reached an endpoint that is still registered."""
    mine = endpoints_of(visit.principal).order_by().values("pk")
    return Delivery.objects.filter(endpoint__in=mine, outcome=Outcome.DELIVERED)


RECEIVE = Step(
    position=30,
    title="Receive a webhook",
    text="Register an address of yours, send it a test event, and see it delivered. Fulfil orders on webhooks only.",
    done=deliveries_that_arrived,
    url=lambda visit: site_of(visit).url("endpoints"),
)
