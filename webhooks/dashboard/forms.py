"""What a form about an endpoint says, and what of it makes no sense."""

from collections.abc import Iterator
from uuid import UUID

from django.http import HttpRequest

from core.errors import ServiceError
from core.ids import parse_public_id
from webhooks.catalog import EVENT_TYPES, EVERYTHING, EventType
from webhooks.dashboard.words import RESOURCES
from webhooks.models import WebhookEndpoint


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

    def reads(self) -> bool:
        """Whether it makes sense so far; the rest is the service's to say."""
        if not self.url:
            self.faults["url"] = "Say where events are to be posted."
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
        field = {"webhook_url_not_allowed": "url", "unknown_event_type": "events"}.get(refusal.code, "form")
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
