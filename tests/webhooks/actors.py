"""What tests do again and again: subscribe, let something happen, look at deliveries."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core.bulk import insert_together
from merchants.principal import Principal
from webhooks import services
from webhooks.catalog import EVENT_NAMES
from webhooks.events import sample_body
from webhooks.models import Delivery, Event, WebhookEndpoint


@dataclass(frozen=True, kw_only=True)
class Subscriber:
    """An endpoint and the secret that its owner was shown."""

    endpoint: WebhookEndpoint
    secret: str

    @property
    def id(self) -> str:
        return str(self.endpoint.pk)

    def fresh(self) -> WebhookEndpoint:
        return WebhookEndpoint.objects.get(pk=self.endpoint.pk)

    def delivery(self) -> Delivery:
        return Delivery.objects.get(endpoint=self.endpoint)


def subscribe(principal: Principal, url: str, *events: str, enabled: bool = True) -> Subscriber:
    """An endpoint at a URL; one more at the same receiver where there is one, under a query of its own."""
    others = WebhookEndpoint.objects.visible_to(principal).filter(deleted_at=None, url__startswith=url).count()
    url = f"{url}?{others + 1}" if others else url
    new = services.NewEndpoint(
        url=services.check_url(principal.mode, url), events=list(events) or ["*"], enabled=enabled
    )
    endpoint, secret = services.create_endpoint(principal, new)
    return Subscriber(endpoint=endpoint, secret=secret)


def draft(
    principal: Principal, event_type: str, body: dict[str, Any], resource_id: uuid.UUID | None = None, sequence: int = 1
) -> Event:
    """An event that is not stored yet, of a resource that is new unless it is named."""
    return services.draft_event(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        type=event_type,
        resource_type=event_type.partition(".")[0],
        resource_id=resource_id or uuid.uuid4(),
        sequence=sequence,
        body=body,
    )


def happen(principal: Principal, event_type: str = "payment_intent.settled", **body: Any) -> Event:
    """Let something happen to a fresh resource: an event as it would be, or one that carries what is named."""
    resource_id = uuid.uuid4()
    is_made_up = bool(body) or event_type not in EVENT_NAMES
    data = {"id": str(resource_id), **body} if is_made_up else sample_body(event_type, resource_id)
    event = draft(principal, event_type, data, resource_id)
    with transaction.atomic():
        insert_together([event])
    return event
