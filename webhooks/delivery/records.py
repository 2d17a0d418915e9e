"""Writes a batch of results down: attempts by one insert, outcomes by one update per kind of outcome.

All deliveries of a healthy batch share one outcome, so that is one statement. A result counts only while its
attempt is the delivery's current one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from core.clock import now
from core.metrics import DELIVERIES
from webhooks import outcomes
from webhooks.delivery.bulk import insert_rows
from webhooks.delivery.posting import Result
from webhooks.models import Delivery, DeliveryAttempt, WebhookEndpoint
from webhooks.schedule import asked_wait, wait_after
from webhooks.services import disable_endpoint
from webhooks.states import DisabledReason, Step

_GONE = 410
_BODY_CHARACTERS, _BODY_BYTES = 2000, 8000
_HEADERS, _HEADER_CHARACTERS = 20, 200
_COLUMNS = (
    *("merchant_id", "mode", "delivery_id", "event_at", "number", "at", "latency_ms"),
    *("error", "response_status", "response_headers", "response_body"),
)


@dataclass(frozen=True, kw_only=True)
class _Verdict:
    """What becomes of deliveries whose current attempt is ``number``."""

    number: int
    step: Step
    due_at: datetime | None = None


def record(results: Sequence[Result], *, is_pulled: bool = False) -> None:
    """Store attempts and outcomes, then what they say about the endpoints. ``is_pulled``: all were fetched."""
    if not results:
        return
    since = min(result.claim.event_at for result in results)  # leaves out the partitions of earlier weeks
    with transaction.atomic():
        insert_rows(DeliveryAttempt, _COLUMNS, [_attempt_row(result) for result in results], {})
        for verdict, keys in _verdicts(results).items():
            current = Delivery.objects.filter(pk__among=keys, event_at__gte=since, attempts=verdict.number)
            if verdict.due_at is None:
                outcomes.finish(current, verdict.step, now())
            else:
                outcomes.retry(current, verdict.due_at, is_pulled=is_pulled)
    for result in results:
        DELIVERIES.add("delivered" if result.succeeded else "refused" if result.answer else "unreachable")
    _note_health(results)


def remember(places: Mapping[UUID, int | None]) -> None:
    """Keep how many deliveries endpoints may hold at once that were found slow, or slow no more: for later drains.

    Why one row at a time: as for what else is kept of endpoints.
    """
    for endpoint_id, number in places.items():
        WebhookEndpoint.objects.filter(pk=endpoint_id).update(places=number)


def _verdicts(results: Sequence[Result]) -> dict[_Verdict, list[UUID]]:
    """Deliveries by what becomes of them. Why one wait per place in the schedule: equal rows share a statement."""
    waits: dict[int, timedelta | None] = {}
    found: dict[_Verdict, list[UUID]] = defaultdict(list)
    for result in results:
        place = result.claim.number_in_schedule
        if place not in waits:
            waits[place] = wait_after(place)
        found[_verdict(result, waits[place])].append(result.claim.delivery_id)
    return found


def _verdict(result: Result, planned: timedelta | None) -> _Verdict:
    number = result.claim.number
    if result.succeeded:
        return _Verdict(number=number, step=Step.DELIVER)
    if planned is None:
        return _Verdict(number=number, step=Step.EXHAUST)
    answer = result.answer
    asked = answer and asked_wait(answer.status, answer.header("Retry-After"), result.at)
    return _Verdict(number=number, step=Step.RETRY, due_at=now() + (asked or planned))


def _attempt_row(result: Result) -> tuple[Any, ...]:
    """The values of ``_COLUMNS``."""
    claim, answer = result.claim, result.answer
    response: tuple[Any, ...] = (None, {}, "")
    if answer is not None:
        body = storable(answer.body[:_BODY_BYTES].decode("utf-8", "replace"), _BODY_CHARACTERS)
        headers = {
            storable(name, _HEADER_CHARACTERS): storable(value, _HEADER_CHARACTERS)
            for name, value in answer.headers[:_HEADERS]
        }
        response = (answer.status, headers, body)
    latency_ms = round(result.seconds * 1000)
    return (
        claim.merchant_id,
        claim.mode,
        claim.delivery_id,
        claim.event_at,
        claim.number,
        result.at,
        latency_ms,
        result.error,
        *response,
    )


def storable(text: str, characters: int) -> str:
    """The beginning of a text without what no database column carries: NUL and lone surrogates."""
    text = text[:characters]
    return text if text.isprintable() else text.replace("\x00", "").encode("utf-8", "replace").decode()


def _note_health(results: Sequence[Result]) -> None:
    """Keep ``failing_since`` true, and switch off endpoints that are gone.

    Why one row at a time: two workers that update the same endpoints in different order would deadlock.
    """
    well = {result.claim.endpoint_id for result in results if result.succeeded}
    ill = {result.claim.endpoint_id for result in results} - well
    recovered = WebhookEndpoint.objects.filter(pk__among=well, failing_since__isnull=False)
    for key in list(recovered.values_list("pk", flat=True)):
        WebhookEndpoint.objects.filter(pk=key).update(failing_since=None, owner_notified=0)
    if ill:
        fallen = WebhookEndpoint.objects.filter(pk__among=ill, failing_since=None, enabled=True)
        for key in list(fallen.values_list("pk", flat=True)):
            fallen.filter(pk=key).update(failing_since=now())
    for endpoint_id in {r.claim.endpoint_id for r in results if r.answer and r.answer.status == _GONE}:
        disable_endpoint(endpoint_id, DisabledReason.GONE)
