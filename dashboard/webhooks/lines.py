"""Endpoints, deliveries and attempts as the dashboard shows them."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from django.db.models import IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404

from core.clock import now
from core.exact_json import ExactDecoder
from dashboard.visit import Visit
from dashboard.webhooks.words import OUTCOMES, WHY_DISABLED, error_words
from merchants.acts import Act
from webhooks.models import Delivery, DeliveryAttempt, Event, WebhookEndpoint
from webhooks.selectors import endpoints_of
from webhooks.signatures import SIGNATURE_HEADER
from webhooks.states import DisabledReason, Outcome

A_DAY = timedelta(hours=24)
COUNTED = 1000
"""Up to where deliveries are counted, of each outcome."""
HIDDEN = "hidden from your role"
PERSONAL = frozenset({"metadata", "customer_email"})
"""What of an event's data only those may see who may see customers."""


class CountUpTo(Subquery):
    """How many rows a cut subquery has. Why cut: a count that nobody reads to the end must not cost a whole index."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


@dataclass(frozen=True, kw_only=True)
class EndpointLine:
    """One endpoint in words. ``delivered`` and ``missed`` are deliveries of the last 24 hours, up to a bound."""

    endpoint: Any
    state: str
    tone: str
    why: str
    wants: list[str]
    delivered: int
    missed: int
    rate: str


def with_health(endpoints: QuerySet[WebhookEndpoint]) -> QuerySet[WebhookEndpoint]:
    """The same endpoints, each with how it has been doing, by one statement and through indexes."""
    mine = Delivery.objects.filter(endpoint=OuterRef("pk"))
    recent = mine.filter(created_at__gte=now() - A_DAY).order_by("-created_at", "-id").values("pk")
    tried = mine.filter(outcome=Outcome.DUE, attempts__gt=0)
    newest = mine.filter(outcome=Outcome.DELIVERED).order_by("-created_at", "-id")
    return endpoints.annotate(
        delivered=CountUpTo(recent.filter(outcome=Outcome.DELIVERED)[:COUNTED]),
        given_up=CountUpTo(recent.filter(outcome=Outcome.EXHAUSTED)[:COUNTED]),
        retrying=CountUpTo(recent.filter(outcome=Outcome.DUE, attempts__gt=0)[:COUNTED]),
        last_delivered_at=Subquery(newest.values("finished_at")[:1]),
        next_retry_at=Coalesce(
            Subquery(tried.filter(pull_at__isnull=False).order_by("pull_at", "pk").values("pull_at")[:1]),
            Subquery(tried.order_by("next_attempt_at", "pk").values("next_attempt_at")[:1]),
        ),
    )


def endpoint_line(endpoint: Any) -> EndpointLine:
    """What is shown of an endpoint that came ``with_health``."""
    state, tone, why = _state(endpoint)
    delivered, missed = endpoint.delivered, endpoint.given_up + endpoint.retrying
    return EndpointLine(
        endpoint=endpoint,
        state=state,
        tone=tone,
        why=why,
        wants=["everything"] if "*" in endpoint.events else endpoint.events,
        delivered=delivered,
        missed=missed,
        rate=f"{100 * delivered // (delivered + missed)} %" if delivered + missed else "",
    )


def _state(endpoint: WebhookEndpoint) -> tuple[str, str, str]:
    if not endpoint.enabled:
        by_us = endpoint.disabled_reason != DisabledReason.BY_MERCHANT
        return "Disabled", "bad" if by_us else "", WHY_DISABLED.get(DisabledReason(endpoint.disabled_reason), "")
    if endpoint.failing_since is not None:
        ends = "" if endpoint.is_pulled else " After five days it is switched off."
        return "Failing", "bad", f"No delivery has succeeded since then.{ends}"
    return "Enabled", "ok", ""


def endpoint_at(visit: Visit, endpoint_id: UUID) -> WebhookEndpoint:
    """The merchant's endpoint in this mode. Raises: Http404."""
    found = with_health(endpoints_of(visit.principal)).filter(pk=endpoint_id).first()
    if found is None:
        raise Http404
    return found


@dataclass(frozen=True, kw_only=True)
class DeliveryLine:
    """One delivery in words, with its last attempt."""

    delivery: Delivery
    event_type: str
    state: str
    tone: str
    last: DeliveryAttempt | None
    error: str


def delivery_line(delivery: Delivery) -> DeliveryLine:
    """What is shown of a delivery whose event and attempts are at hand."""
    tries = list(delivery.tries.all())
    label, last = OUTCOMES[Outcome(delivery.outcome)], tries[-1] if tries else None
    not_tried = "Sending" if delivery.pull_at is None else "To be fetched"
    return DeliveryLine(
        delivery=delivery,
        event_type=delivery.event.type,
        state=label.word if tries or delivery.outcome != Outcome.DUE else not_tried,
        tone=label.tone if tries else "",
        last=last,
        error=error_words(last.error) if last else "",
    )


@dataclass(frozen=True, kw_only=True)
class AttemptLine:
    """One attempt in words. ``sent`` are the request's headers that can be known afterwards."""

    attempt: DeliveryAttempt
    tone: str
    result: str
    sent: list[tuple[str, str]]
    answered: list[tuple[str, str]]
    body: str


def attempt_line(delivery: Delivery, attempt: DeliveryAttempt, *, may_see: bool) -> AttemptLine:
    """What is shown of an attempt. Why no signature: it is made afresh for each attempt and not kept."""
    status = attempt.response_status
    return AttemptLine(
        attempt=attempt,
        tone="ok" if status is not None and 200 <= status < 300 else "bad",  # noqa: PLR2004 - the 2xx range
        result=str(status) if status is not None else error_words(attempt.error),
        sent=_sent(delivery, attempt),
        answered=list(attempt.response_headers.items()) if may_see else [],
        body=attempt.response_body if may_see else "",
    )


def _sent(delivery: Delivery, attempt: DeliveryAttempt) -> list[tuple[str, str]]:
    seconds = int(attempt.at.timestamp())
    return [
        ("Content-Type", "application/json"),
        (SIGNATURE_HEADER, f"t={seconds},v1=(not kept)"),
        ("Svc-Event-Id", delivery.event_id),
        ("Svc-Event-Type", delivery.event.type),
        ("Svc-Delivery-Id", str(delivery.pk)),
        ("Svc-Attempt", str(attempt.number)),
        ("webhook-id", delivery.event_id),
        ("webhook-timestamp", str(seconds)),
        ("webhook-signature", "(not kept)"),
    ]


def shown_payload(visit: Visit, event: Event) -> str:
    """The event's text: exactly as sent, or without its customers for those who may not see them."""
    if visit.may(Act.SEE_CUSTOMERS):
        return event.payload
    delivered = json.loads(event.payload, cls=ExactDecoder)
    if isinstance(facts := delivered.get("data"), dict):
        delivered["data"] = {name: HIDDEN if name in PERSONAL else value for name, value in facts.items()}
    return _written(delivered, indent=False)


def pretty(text: str) -> str:
    """JSON over several lines, for reading; what is none as it is. No digit of a number changes."""
    try:
        return _written(json.loads(text, cls=ExactDecoder), indent=True)
    except (ValueError, RecursionError):
        return text


def _written(value: object, *, indent: bool) -> str:
    option = orjson.OPT_INDENT_2 if indent else 0
    return orjson.dumps(value, default=lambda number: orjson.Fragment(str(number)), option=option).decode()
