"""Screens of webhooks: endpoints, what was sent to them, events, and why a signature did not verify."""

from django.urls import register_converter

from dashboard.site import (
    Menu,
    Page,
    Panel,
    Section,
    register_needs,
    register_panel,
    register_search,
    register_step,
)
from dashboard.webhooks.deliveries import resend, show_delivery
from dashboard.webhooks.endpoint import recover, send_test, show_endpoint
from dashboard.webhooks.endpoints import create, delete, edit, list_endpoints, rotate
from dashboard.webhooks.events import EventIdConverter, list_events, show_event
from dashboard.webhooks.finding import RECEIVE, endpoints_in_need, find_webhooks
from dashboard.webhooks.signature import check_signature
from merchants.acts import Act

register_converter(EventIdConverter, "event")
CHANGE, RESEND = Act.CHANGE_ENDPOINTS, Act.RESEND
_ONE, _DELIVERY = "webhooks/<uuid:endpoint_id>/", "webhooks/deliveries/<uuid:delivery_id>/"

register_panel(
    Panel(
        position=60,
        pages=(
            Page(
                path="webhooks/", name="endpoints", view=list_endpoints, menu=Menu("Webhooks", Section.DEVELOPERS, 20)
            ),
            Page(path="webhooks/new/", name="new_endpoint", view=create, act=CHANGE),
            Page(path="webhooks/signature/", name="signature_check", view=check_signature),
            Page(path=_ONE, name="endpoint", view=show_endpoint),
            Page(path=f"{_ONE}edit/", name="edit_endpoint", view=edit, act=CHANGE),
            Page(path=f"{_ONE}delete/", name="delete_endpoint", view=delete, act=CHANGE),
            Page(path=f"{_ONE}secret/", name="rotate_secret", view=rotate, act=CHANGE),
            Page(path=f"{_ONE}recover/", name="recover", view=recover, act=RESEND),
            Page(path=f"{_ONE}test/", name="test_event", view=send_test, act=RESEND),
            Page(path=_DELIVERY, name="delivery", view=show_delivery),
            Page(path=f"{_DELIVERY}resend/", name="resend", view=resend, act=RESEND),
            Page(path="events/", name="events", view=list_events, menu=Menu("Events", Section.DEVELOPERS, 30)),
            Page(path="events/<event:event_id>/", name="event", view=show_event),
        ),
    )
)
register_needs(endpoints_in_need)
register_search(find_webhooks)
register_step(RECEIVE)
