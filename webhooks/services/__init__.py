"""Every write of webhooks: endpoints and secrets, events, sending again, upkeep."""

from webhooks.events import draft_event, draft_next_event
from webhooks.services.again import (
    Recovery,
    recover,
    resend,
    send_test_event,
    testable_types,
    trigger_sample_event,
)
from webhooks.services.certificates import ask_certificate, certificate_of, find_certificate
from webhooks.services.endpoints import (
    MAX_ENDPOINTS,
    OVERLAP,
    EndpointChanges,
    NewEndpoint,
    create_endpoint,
    delete_endpoint,
    disable_endpoint,
    rotate_secret,
    update_endpoint,
)
from webhooks.services.event_weeks import make_event_weeks
from webhooks.services.notices import tell_teams
from webhooks.services.upkeep import disable_failing_endpoints, place_events, purge_old_events, shift_due
from webhooks.services.urls import CheckedUrl, check_url

__all__ = [
    "MAX_ENDPOINTS",
    "OVERLAP",
    "CheckedUrl",
    "EndpointChanges",
    "NewEndpoint",
    "Recovery",
    "ask_certificate",
    "certificate_of",
    "check_url",
    "create_endpoint",
    "delete_endpoint",
    "disable_endpoint",
    "disable_failing_endpoints",
    "draft_event",
    "draft_next_event",
    "find_certificate",
    "make_event_weeks",
    "place_events",
    "purge_old_events",
    "recover",
    "resend",
    "rotate_secret",
    "send_test_event",
    "shift_due",
    "tell_teams",
    "testable_types",
    "trigger_sample_event",
    "update_endpoint",
]
