"""The list of endpoints, and everything that changes one. Secrets are shown in one answer each and nowhere else."""

from collections.abc import Iterator
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.clock import now
from core.errors import ServiceError
from core.ids import parse_public_id
from dashboard.page import draw
from dashboard.visit import Visit
from dashboard.webhooks.lines import endpoint_at, endpoint_line, with_health
from dashboard.webhooks.words import RESOURCES
from merchants.acts import Act
from webhooks import services
from webhooks.catalog import EVENT_TYPES, EVERYTHING, EventType
from webhooks.errors import SigningSecretChanged, WebhookEndpointExists
from webhooks.models import SigningSecret, WebhookEndpoint
from webhooks.selectors import endpoints_of

AT_ONCE = services.MAX_ENDPOINTS
_ABOUT_URL = ("webhook_url_not_allowed", "endpoint_url_taken")


class EndpointForm:
    """The form of a new endpoint, or of one that is there. Bad input is told in ``faults`` and changes nothing."""

    def __init__(self, request: HttpRequest, *, endpoint: WebhookEndpoint | None = None, form_key: str = "") -> None:
        sent = request.POST if request.method == "POST" else None
        self.faults: dict[str, str] = {}
        self.url = (endpoint.url if endpoint else "") if sent is None else sent.get("url", "").strip()
        self.events = (endpoint.events if endpoint else [EVERYTHING]) if sent is None else sent.getlist("events")
        self.enabled = (endpoint is None or endpoint.enabled) if sent is None else "enabled" in sent
        self.form_key = form_key if sent is None else sent.get("form_key", "")
        self.is_new = endpoint is None
        self.is_pulled = "pull" in (sent or ()) if endpoint is None else endpoint.is_pulled

    def reads(self) -> bool:
        """Whether it makes sense so far; the rest is the service's to say."""
        if not self.url and not self.is_pulled:
            self.faults["url"] = "Say where events are to be posted."
        if self.url and self.is_pulled and self.is_new:
            self.faults["url"] = "Leave the address empty where you fetch the events."
        if not self.events:
            self.faults["events"] = "Choose at least one event."
        if self.is_new and self.minted is None:
            self.faults["form"] = "This form is not one of ours. Open the page again."
        return not self.faults

    @property
    def minted(self) -> UUID | None:
        """The key that this page was drawn with, which becomes the endpoint's id. Only a random UUID will do."""
        key = parse_public_id(self.form_key)
        return key if key is not None and key.version == 4 else None  # noqa: PLR2004 - the random kind

    def refuse(self, refusal: ServiceError) -> None:
        """Tell what the service refused, at the field it is about."""
        field = {**dict.fromkeys(_ABOUT_URL, "url"), "unknown_event_type": "events"}.get(refusal.code, "form")
        self.faults[field] = refusal.message if field != "events" else "One of these events does not exist."

    def choices(self) -> Iterator[tuple[str, str, bool, list[tuple[EventType, bool]]]]:
        """By resource: its wildcard, what it is called, whether it is chosen, and its events with the same."""
        for resource, words in RESOURCES.items():
            types = [entry for entry in EVENT_TYPES if entry.resource == resource]
            wildcard = f"{resource}.*" if len(types) > 1 or "." in types[0].name else resource
            listed = [(entry, entry.name in self.events) for entry in types if entry.name != wildcard]
            yield wildcard, words, wildcard in self.events, listed

    @property
    def wants_everything(self) -> bool:
        """Whether every event is chosen, also those that come to be later."""
        return EVERYTHING in self.events


def list_endpoints(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Every endpoint with how it has been doing."""
    lines = [endpoint_line(endpoint) for endpoint in with_health(endpoints_of(visit.principal))]
    context = {
        "lines": lines,
        "limit": AT_ONCE,
        "is_full": len(lines) >= AT_ONCE,
        "may_change": visit.may(Act.CHANGE_ENDPOINTS),
        "call": _create_call(),
    }
    return draw(request, visit, "dashboard/webhooks/list.html", context)


def create(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask where and what for, then show the endpoint's first secret in this answer only.

    Why no redirect: the secret exists in clear only here, and a session would keep a copy of it.
    """
    form = EndpointForm(request, form_key=str(uuid4()))
    if request.method == "POST" and form.reads():
        try:
            url = None if form.is_pulled else services.check_url(visit.mode, form.url)
            new = services.NewEndpoint(url=url, events=form.events, enabled=True, id=form.minted)
            endpoint, secret = services.create_endpoint(visit.principal, new)
        except WebhookEndpointExists as refusal:
            messages.warning(request, refusal.message)
            return redirect(visit.url("endpoints"))
        except ServiceError as refusal:
            form.refuse(refusal)
        else:
            return _show_secret(request, visit, endpoint, secret, is_new=True)
    context = {"form": form, "limit": AT_ONCE, "call": _create_call()}
    return draw(request, visit, "dashboard/webhooks/new.html", context, status=400 if form.faults else 200)


def edit(request: HttpRequest, visit: Visit, endpoint_id: UUID) -> HttpResponse:
    """Change where an endpoint is, what it wants, and whether it is told at all."""
    endpoint = endpoint_at(visit, endpoint_id)
    form = EndpointForm(request, endpoint=endpoint)
    if request.method == "POST" and form.reads():
        try:
            changes = services.EndpointChanges(
                url=None if form.is_pulled or form.url == endpoint.url else services.check_url(visit.mode, form.url),
                events=form.events,
                enabled=form.enabled,
            )
            services.update_endpoint(visit.principal, str(endpoint_id), changes)
        except ServiceError as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, "The endpoint is changed. This holds for what happens from now on.")
            return redirect(visit.url("endpoint", endpoint_id=endpoint_id))
    context = {"form": form, "line": endpoint_line(endpoint)}
    return draw(request, visit, "dashboard/webhooks/edit.html", context, status=400 if form.faults else 200)


def delete(request: HttpRequest, visit: Visit, endpoint_id: UUID) -> HttpResponse:
    """Ask, then delete an endpoint with its secrets."""
    endpoint = endpoint_at(visit, endpoint_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/webhooks/delete.html", {"line": endpoint_line(endpoint)})
    try:
        services.delete_endpoint(visit.principal, str(endpoint_id))
        messages.success(request, "The endpoint is deleted. Nothing more is sent to it.")
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    return redirect(visit.url("endpoints"))


def rotate(request: HttpRequest, visit: Visit, endpoint_id: UUID) -> HttpResponse:
    """Show both secrets' ages, then replace the current one and show the new one in this answer only."""
    endpoint = endpoint_at(visit, endpoint_id)
    if request.method == "POST":
        shown = request.POST.get("shown_secret_id", "")
        known = int(shown) if shown.isascii() and shown.isdecimal() and len(shown) < 19 else -1  # noqa: PLR2004 - what a column holds
        try:
            _, secret = services.rotate_secret(visit.principal, str(endpoint_id), shown_secret_id=known)
        except SigningSecretChanged as refusal:
            messages.warning(request, refusal.message)
            return redirect(visit.url("endpoint", endpoint_id=endpoint_id))
        return _show_secret(request, visit, endpoint, secret, is_new=False)
    context = {"line": endpoint_line(endpoint), "secrets": secrets_of(endpoint)}
    return draw(request, visit, "dashboard/webhooks/rotate.html", context)


def secrets_of(endpoint: WebhookEndpoint) -> list[SigningSecret]:
    """Those that sign now, newest first. Why without what they are: their ages are all that a page needs."""
    signing = endpoint.secrets.filter(Q(expires_at=None) | Q(expires_at__gt=now()))
    return list(signing.defer("ciphertext").order_by("-pk"))


def _show_secret(
    request: HttpRequest, visit: Visit, endpoint: WebhookEndpoint, secret: str, *, is_new: bool
) -> HttpResponse:
    context = {"endpoint": endpoint, "secret": secret, "is_new": is_new, "secrets": secrets_of(endpoint)}
    return draw(request, visit, "dashboard/webhooks/secret.html", context)


def _create_call() -> dict[str, str]:
    address = f"{settings.BASE_URL}/api/public/v1/webhook-endpoints"
    return {
        "name": "create-endpoint",
        "curl": f"""curl {address} \\
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{{"url": "https://shop.example/webhooks", "events": ["payment_intent.*"]}}'""",
    }
