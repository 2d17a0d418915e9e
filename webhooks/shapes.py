"""What merchants are shown of their endpoints and deliveries: each a shape and the function that writes it."""

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict

import orjson

from core.clock import optional_wire_time, wire_time
from core.outbound.destinations import MAX_URL_LENGTH
from core.shapes import Code, Link, Moment, Uuid
from webhooks.catalog import NAMES_IN_ORDER, SUBSCRIBABLE
from webhooks.delivery.claims import Claim
from webhooks.event_pages import EventPage
from webhooks.events import WebhookEventShape
from webhooks.models import Delivery, ReceiverCertificate, WebhookEndpoint
from webhooks.services import Recovery
from webhooks.states import NO_ANSWER, TEST_ERRORS, Check, DisabledReason, EndpointKind, Expected, Outcome


class WebhookEndpointShape(TypedDict):
    """Source: specification, WebhookEndpoint."""

    id: Uuid
    kind: Annotated[str, EndpointKind, "`push`: posted to its URL. `pull`: fetched and answered by you."]
    url: Annotated[Link | None, {"max_length": MAX_URL_LENGTH}, "Where events are posted; null where they are fetched."]
    events: Annotated[list[Code], SUBSCRIBABLE]
    enabled: bool
    created_at: Moment
    disabled_reason: Annotated[str | None, DisabledReason, "Why it is off; null while it is enabled."]


class WebhookEndpointWithSecretShape(WebhookEndpointShape):
    """What create and rotate-secret answer."""

    secret: Annotated[str, "The signing secret, `whsec_…`; shown here and never again."]


class WebhookEndpointListShape(TypedDict):
    """Every endpoint, newest first."""

    data: list[WebhookEndpointShape]
    has_more: bool
    next_cursor: Uuid | None


class DeletedWebhookEndpointShape(TypedDict):
    """What is left of a deleted endpoint."""

    id: Uuid
    deleted: bool


class DeliveryAttemptShape(TypedDict):
    """One POST and what came of it."""

    number: Annotated[int, "From 1; the same as the header Svc-Attempt."]
    at: Moment
    latency_ms: int
    response_status: int | None
    response_headers: Annotated[dict[str, str], "The first ones, shortened."]
    response_body: Annotated[str, "The beginning, as text."]
    error: Annotated[Code | None, NO_ANSWER, "Why no answer came, one stable word; null if one did."]


class WebhookDeliveryShape(TypedDict):
    """One event on its way to one endpoint."""

    id: Uuid
    event_id: str
    event_type: Annotated[Code, NAMES_IN_ORDER]
    status: Annotated[str, Outcome]
    attempt_count: int
    next_attempt_at: Moment | None
    created_at: Moment
    finished_at: Moment | None
    attempts: list[DeliveryAttemptShape]


class WebhookDeliveryListShape(TypedDict):
    """One page, newest first."""

    data: list[WebhookDeliveryShape]
    has_more: bool
    next_cursor: Uuid | None


class PulledDeliveryShape(TypedDict):
    """One delivery that is given out, as it would be posted."""

    delivery_id: Annotated[Uuid, "Send it with the answer."]
    event_id: str
    attempt: Annotated[int, {"min_value": 1}, "Send it with the answer. Each time it is given out it is another one."]
    headers: Annotated[dict[str, str], "As a receiver gets them, signed just now."]
    body: Annotated[str, "The exact text that is signed."]


class PulledDeliveryListShape(TypedDict):
    """What is given out, the longest due first."""

    data: list[PulledDeliveryShape]
    has_more: Annotated[bool, "Whether to fetch again at once: as many came as were asked for."]


class EventListShape(TypedDict):
    """One page of events, oldest first."""

    data: Annotated[list[WebhookEventShape], "Each exactly as receivers get it."]
    has_more: Annotated[bool, "Whether to go on at once. With `type` a page may be empty although there is more."]
    next_cursor: Annotated[str | None, "The same as `cursor` where there is more."]
    cursor: Annotated[str, "Where to go on from, later too: what is stored by then comes after it."]
    cursors: Annotated[list[str], "Where to go on behind each event of `data`, in the same order."]


class RecoveryShape(TypedDict):
    """What a recovery put on its way."""

    id: Uuid
    scheduled: Annotated[int, "How many events will be sent now."]
    has_more: Annotated[bool, "Whether to call again for the rest."]


class WrongAnswerShape(TypedDict):
    """A request of the battery, and the answer that it should not have got."""

    headers: Annotated[dict[str, str], "Exactly as they were sent."]
    body: Annotated[str, "Exactly as it was sent."]
    status: Annotated[int | None, "What your receiver answered; null if no answer came."]
    error: Annotated[Code | None, TEST_ERRORS, "Why no answer came, one stable word; null if one did."]
    answer_headers: Annotated[dict[str, str], "The first ones, shortened."]
    answer_body: Annotated[str, "The beginning, as text."]
    latency_ms: int


class ReceiverCheckShape(TypedDict):
    """One check of the battery."""

    name: Annotated[Code, Check]
    about: Annotated[str, "What is asked of your receiver, in a sentence."]
    expected: Annotated[str, Expected, "What it has to answer."]
    passed: bool
    wrong: Annotated[list[WrongAnswerShape], "The requests that were answered otherwise; empty where it passed."]


class ReceiverCertificateShape(TypedDict):
    """What a battery of hostile requests said of an endpoint's receiver."""

    endpoint_id: Uuid
    is_running: Annotated[bool, "Whether a battery was asked for that has not ended. The rest is of the last that did."]
    requested_at: Annotated[Moment, "When a battery was last asked for."]
    finished_at: Annotated[Moment | None, "When the last one ended; null before the first."]
    url: Annotated[Link | None, {"max_length": MAX_URL_LENGTH}, "The address that was tested."]
    score: Annotated[int, "How many checks were passed."]
    out_of: Annotated[int, "How many there were; 0 before the first battery has ended."]
    checks: list[ReceiverCheckShape]


def certificate_body(certificate: ReceiverCertificate) -> ReceiverCertificateShape:
    """The wire form of a certificate."""
    return {
        "endpoint_id": str(certificate.endpoint_id),
        "is_running": certificate.due_at is not None,
        "requested_at": wire_time(certificate.requested_at),
        "finished_at": optional_wire_time(certificate.finished_at),
        "url": certificate.url or None,
        "score": certificate.score,
        "out_of": len(certificate.checks),
        "checks": [_check_body(check) for check in certificate.checks],
    }


def _check_body(check: dict[str, Any]) -> ReceiverCheckShape:
    return {
        "name": check["name"],
        "about": Check(check["name"]).label,
        "expected": check["expected"],
        "passed": check["passed"],
        "wrong": [
            {
                "headers": one["headers"],
                "body": one["body"],
                "status": one["status"],
                "error": one["error"] or None,
                "answer_headers": one["answer_headers"],
                "answer_body": one["answer_body"],
                "latency_ms": one["latency_ms"],
            }
            for one in check["wrong"]
        ],
    }


def endpoint_body(endpoint: WebhookEndpoint) -> WebhookEndpointShape:
    """The wire form of an endpoint, which never holds its secret."""
    return {
        "id": str(endpoint.pk),
        "kind": endpoint.kind,
        "url": endpoint.address,
        "events": endpoint.events,
        "enabled": endpoint.enabled,
        "created_at": wire_time(endpoint.created_at),
        "disabled_reason": endpoint.disabled_reason or None,
    }


def endpoint_with_secret_body(endpoint: WebhookEndpoint, secret: str) -> WebhookEndpointWithSecretShape:
    """The wire form of an endpoint whose secret was made just now."""
    return {**endpoint_body(endpoint), "secret": secret}


def delivery_body(delivery: Delivery) -> WebhookDeliveryShape:
    """The wire form of a delivery with its attempts."""
    return {
        "id": str(delivery.pk),
        "event_id": delivery.event_id,
        "event_type": delivery.event.type,
        "status": delivery.outcome,
        "attempt_count": delivery.attempts,
        "next_attempt_at": optional_wire_time(delivery.planned_at),
        "created_at": wire_time(delivery.created_at),
        "finished_at": optional_wire_time(delivery.finished_at),
        "attempts": [
            {
                "number": attempt.number,
                "at": wire_time(attempt.at),
                "latency_ms": attempt.latency_ms,
                "response_status": attempt.response_status,
                "response_headers": attempt.response_headers,
                "response_body": attempt.response_body,
                "error": attempt.error or None,
            }
            for attempt in delivery.tries.all()
        ],
    }


def pulled_body(headed: Sequence[tuple[Claim, dict[str, str]]], limit: int) -> PulledDeliveryListShape:
    """The wire form of deliveries that were given out with the headers of each."""
    return {
        "data": [
            {
                "delivery_id": str(claim.delivery_id),
                "event_id": claim.event_id,
                "attempt": claim.number,
                "headers": headers,
                "body": claim.body.decode(),
            }
            for claim, headers in headed
        ],
        "has_more": len(headed) == limit,
    }


def event_list_body(page: EventPage) -> EventListShape:
    """The wire form of a page of events, whose texts stand in it as they were stored."""
    events: list[Any] = [orjson.Fragment(text) for text in page.payloads]
    return {
        "data": events,
        "has_more": page.has_more,
        "next_cursor": page.cursor if page.has_more else None,
        "cursor": page.cursor,
        "cursors": page.cursors,
    }


def recovery_body(endpoint_id: str, recovery: Recovery) -> RecoveryShape:
    """The wire form of a recovery."""
    return {"id": endpoint_id, "scheduled": recovery.scheduled, "has_more": recovery.has_more}
