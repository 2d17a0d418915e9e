"""One endpoint: its deliveries, sending what it missed, and sending it a test event."""

from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.clock import now
from core.errors import ServiceError
from core.ids import parse_public_id
from dashboard.page import draw
from dashboard.visit import Visit
from dashboard.webhooks.certificate import certificate_line
from dashboard.webhooks.endpoints import secrets_of
from dashboard.webhooks.lines import A_DAY, COUNTED, delivery_line, endpoint_at, endpoint_line
from dashboard.webhooks.paging import Narrowing, in_order, sheet_of
from dashboard.webhooks.words import OUTCOMES
from merchants.acts import Act
from webhooks import services
from webhooks.catalog import EVENT_TYPES
from webhooks.models import WebhookEndpoint
from webhooks.selectors import deliveries_of

# The lines with which a receiver verifies, as docs/guides/webhooks.md gives them; a test holds the two together.
PYTHON: Final = """import hashlib, hmac, re, time

def is_genuine(header: str | None, raw_body: bytes, secret: str) -> bool:
    parts = [part.strip().partition("=") for part in (header or "").split(",")]
    times = [value for key, _, value in parts if key == "t"]
    if len(header or "") > 4096 or not all(equals for _, equals, _ in parts):
        return False
    if not secret.strip() or len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]):
        return False
    if abs(time.time() - int(times[0])) > 300:
        return False
    expected = hmac.new(secret.encode(), times[0].encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    given = [value.encode(errors="replace") for key, _, value in parts if key == "v1"]
    return any(hmac.compare_digest(value, expected.encode()) for value in given)
"""
NODE: Final = r"""import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(header, rawBody, secret) {
  const pairs = (header ?? '').split(',').map((part) => part.trim().split(/=(.*)/s));
  if ((header ?? '').length > 4096 || pairs.some((pair) => pair.length < 2)) return false;
  const times = pairs.filter(([key]) => key === 't').map(([, value]) => value);
  if (!secret.trim() || times.length !== 1 || !/^\d{1,12}$/.test(times[0])) return false;
  if (Math.abs(Date.now() / 1000 - Number(times[0])) > 300) return false;
  const expected = Buffer.from(createHmac('sha256', secret).update(`${times[0]}.`).update(rawBody).digest('hex'));
  return pairs.some(([key, value]) => {
    const given = Buffer.from(value ?? '');
    return key === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
"""


def show_endpoint(request: HttpRequest, visit: Visit, endpoint_id: UUID) -> HttpResponse:
    """How an endpoint has been doing, its deliveries, and how to verify them."""
    endpoint, wanted = endpoint_at(visit, endpoint_id), Narrowing(request.GET.dict())
    context = {
        "line": endpoint_line(endpoint),
        "counted": COUNTED,
        "secrets": secrets_of(endpoint),
        "certificate": certificate_line(endpoint),
        "wanted": wanted,
        **_deliveries(visit, endpoint, wanted),
        "outcomes": [(outcome.value, label.word) for outcome, label in OUTCOMES.items()],
        "types": [entry.name for entry in EVENT_TYPES],
        "may_change": visit.may(Act.CHANGE_ENDPOINTS),
        "may_resend": visit.may(Act.RESEND),
        "python": PYTHON,
        "node": NODE,
    }
    return draw(request, visit, "dashboard/webhooks/endpoint.html", context, status=400 if wanted.faults else 200)


def _deliveries(visit: Visit, endpoint: WebhookEndpoint, wanted: Narrowing) -> dict[str, object]:
    """One page of what is asked for, newest first, and the way to older ones."""
    rows = deliveries_of(endpoint)
    outcome, event_type = wanted.outcome(), wanted.type()
    key = parse_public_id(wanted.asked.get("before", ""))
    before = rows.filter(pk=key).only("pk", "created_at").first() if key else None
    narrowed = rows.filter(outcome=outcome) if outcome else rows
    bare = narrowed.prefetch_related(None).select_related(None)
    sheet = sheet_of(bare, "created_at", before, event_type, "event__type")
    here = visit.url("endpoint", endpoint_id=endpoint.pk)
    found = [] if wanted.faults else in_order(rows, sheet.keys)
    return {
        "lines": [delivery_line(delivery) for delivery in found],
        "is_cut": sheet.is_cut,
        "older": f"{here}?{urlencode({**wanted.words, 'before': sheet.before})}" if sheet.before else "",
        "newest": f"{here}?{wanted.query}" if wanted.is_later_page else "",
    }


def recover(request: HttpRequest, visit: Visit, endpoint_id: UUID) -> HttpResponse:
    """Ask since when, then send everything that the endpoint missed."""
    endpoint = endpoint_at(visit, endpoint_id)
    typed, fault = request.POST.get("since", ""), ""
    if request.method == "POST":
        since = _moment(typed)
        fault = "Say since when, not later than now." if since is None or since > now() else ""
        if since is not None and not fault:
            try:
                recovery = services.recover(visit.principal, str(endpoint_id), since)
            except ServiceError as refusal:
                fault = refusal.message
            else:
                messages.success(request, _recovered(recovery))
                return redirect(visit.url("endpoint", endpoint_id=endpoint_id))
    suggested = endpoint.failing_since or now() - A_DAY
    address = f"{settings.BASE_URL}/api/public/v1/webhook-endpoints/{endpoint_id}/recover"
    head = f'curl {address} \\\n  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \\\n'
    body = '{"since": "2026-01-31T12:00:00Z"}'
    context = {
        "line": endpoint_line(endpoint),
        "fault": fault,
        "typed": typed[:32] if request.method == "POST" else suggested.strftime("%Y-%m-%dT%H:%M"),
        "call": {"name": "recover", "curl": f"{head}  -H \"Content-Type: application/json\" -d '{body}'"},
    }
    return draw(request, visit, "dashboard/webhooks/recover.html", context, status=400 if fault else 200)


def _recovered(recovery: services.Recovery) -> str:
    if not recovery.scheduled:
        return "Nothing was missed since then. Nothing is sent."
    events = "1 event is" if recovery.scheduled == 1 else f"{recovery.scheduled} events are"
    return f"{events} on the way.{' There are more: recover again.' if recovery.has_more else ''}"


def _moment(text: str) -> datetime | None:
    """A moment in UTC as the browser's field writes it."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def send_test(request: HttpRequest, visit: Visit, endpoint_id: UUID) -> HttpResponse:
    """Ask for the type, then send a sample of it to this endpoint alone."""
    endpoint = endpoint_at(visit, endpoint_id)
    types, fault = services.testable_types(visit.mode), ""
    if request.method == "POST":
        try:
            delivery = services.send_test_event(visit.principal, str(endpoint_id), request.POST.get("type", ""))
        except ServiceError as refusal:
            fault = refusal.message if refusal.code != "unknown_event_type" else "Choose one of these events."
        else:
            messages.success(request, "The test event is on its way. Reload this page to see the answer.")
            return redirect(visit.url("delivery", delivery_id=delivery.pk))
    context = {"line": endpoint_line(endpoint), "types": types, "fault": fault}
    return draw(request, visit, "dashboard/webhooks/test.html", context, status=400 if fault else 200)
