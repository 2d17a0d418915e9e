"""One delivery with each of its attempts, and sending it again."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import ServiceError
from dashboard.page import draw
from dashboard.visit import Visit
from dashboard.webhooks.lines import attempt_line, delivery_line, pretty, shown_payload
from merchants.acts import Act
from webhooks import services
from webhooks.models import Delivery

MOST_ATTEMPTS = 60
"""Eight in a schedule; more only after many resends."""


def delivery_at(visit: Visit, delivery_id: UUID) -> Delivery:
    """The merchant's delivery in this mode. Raises: Http404."""
    mine = Delivery.objects.visible_to(visit.principal).select_related("event", "endpoint")
    found: Delivery | None = mine.prefetch_related("tries").filter(pk=delivery_id).first()
    if found is None:
        raise Http404
    return found


def show_delivery(request: HttpRequest, visit: Visit, delivery_id: UUID) -> HttpResponse:
    """What was sent, what came back each time, and when it is tried again."""
    delivery, may_see = delivery_at(visit, delivery_id), visit.may(Act.SEE_CUSTOMERS)
    tries = list(delivery.tries.all())[::-1][:MOST_ATTEMPTS]
    payload = shown_payload(visit, delivery.event)
    base = f"{settings.BASE_URL}/api/public/v1/webhook-endpoints/{delivery.endpoint_id}/deliveries"
    context = {
        "line": delivery_line(delivery),
        "attempts": [attempt_line(delivery, attempt, may_see=may_see) for attempt in tries],
        "may_see": may_see,
        "payload": payload,
        "pretty": pretty(payload),
        "may_resend": visit.may(Act.RESEND) and delivery.endpoint.enabled and not delivery.endpoint.deleted_at,
        "call": {
            "name": "resend",
            "curl": f'curl -X POST {base}/{delivery.pk}/resend \\\n  -H "Authorization: Bearer $CAUSEWAY_API_KEY"',
        },
    }
    return draw(request, visit, "dashboard/webhooks/delivery.html", context)


def resend(request: HttpRequest, visit: Visit, delivery_id: UUID) -> HttpResponse:
    """Ask, then send one delivery again now."""
    delivery = delivery_at(visit, delivery_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/webhooks/resend.html", {"line": delivery_line(delivery)})
    try:
        services.resend(visit.principal, str(delivery.endpoint_id), str(delivery_id))
        messages.success(request, "It is sent again now. Reload this page to see the answer.")
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    return redirect(visit.url("delivery", delivery_id=delivery_id))
