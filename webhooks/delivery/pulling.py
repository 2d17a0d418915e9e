"""Deliveries that are fetched and not posted: given out by lease, signed when they are, and answered.

A lease that ends without an answer costs the delivery none of its eight attempts: whoever fetched it may have died, and
nobody refused anything. Source: docs/adr/0104.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When

from core.clock import now
from core.errors import InvalidRequest, NotFound, field_problem
from core.modes import Mode
from core.outbound.answers import Answer
from core.pauses import Paused, is_paused
from core.transitions import locked
from merchants.principal import Principal
from webhooks import selectors
from webhooks.delivery.claims import Claim, claims_of
from webhooks.delivery.due import Row
from webhooks.delivery.posting import Result, headers_of
from webhooks.delivery.records import record
from webhooks.errors import WebhookEndpointDisabled, WebhookEndpointNotPulled
from webhooks.models import Delivery, DeliveryAttempt, WebhookEndpoint
from webhooks.selectors import Receiver, not_in_flight, receivers
from webhooks.states import Outcome

LEASE: Final = timedelta(seconds=30)
"""How long what was given out is nobody else's."""


def pulled_endpoint(principal: Principal, endpoint_id: str) -> WebhookEndpoint:
    """The endpoint, if its deliveries are fetched.

    Raises: NotFound; WebhookEndpointNotPulled; WebhookEndpointDisabled.
    """
    endpoint = selectors.find_endpoint(principal, endpoint_id)
    if not endpoint.is_pulled:
        raise WebhookEndpointNotPulled
    if not endpoint.enabled:
        raise WebhookEndpointDisabled
    return endpoint


def is_any_due(endpoint: WebhookEndpoint) -> bool:
    """Whether there is something to give out: one look into an index, so that it may be asked again and again."""
    return _due(endpoint, now()).exists()


def _due(endpoint: WebhookEndpoint, moment: datetime) -> QuerySet[Delivery]:
    return Delivery.objects.filter(not_in_flight(moment), endpoint=endpoint, pull_at__lte=moment, outcome=Outcome.DUE)


def give_out(endpoint: WebhookEndpoint, most: int) -> list[tuple[Claim, dict[str, str]]]:
    """Deliveries that are due, the longest due first, each with the headers of this attempt.

    None while sending is paused, and none while no secret can be opened. Locks: the rows, skipping locked ones.
    """
    moment = now()
    receiver = receivers({endpoint.pk}, moment).get(endpoint.pk)
    if receiver is None or not receiver.secrets or is_paused(Paused.SENDING):
        return []
    with transaction.atomic():
        free = _due(endpoint, moment).select_for_update(skip_locked=True).order_by("pull_at", "pk")
        rows = [Row(*row) for row in free.values_list(*Row._fields)[:most]]
        if not rows:
            return []
        since = min(row.event_at for row in rows)
        ours = Delivery.objects.filter(pk__among=[row.id for row in rows], event_at__gte=since)
        unanswered = Case(When(leased_until=None, then=Value(0)), default=Value(1))
        ours.update(
            attempts=F("attempts") + 1, attempts_before=F("attempts_before") + unanswered, leased_until=moment + LEASE
        )
    return [(claim, headers_of(claim, moment)) for claim in claims_of(rows, {endpoint.pk: receiver}, since)]


def take_answer(  # noqa: PLR0913 - what an answer is made of, all keyword-only
    principal: Principal,
    endpoint: WebhookEndpoint,
    *,
    delivery_id: str,
    attempt: int,
    status: int | None,
    error: str,
    body: str,
    latency_ms: int,
) -> Delivery:
    """Record what came of an attempt that was given out; the same answer again changes nothing.

    As for workers, it counts for the delivery while its attempt is the newest one. Raises: NotFound; InvalidRequest for
    an attempt that was never given out. Locks: the delivery.
    """
    key = selectors.read_id(delivery_id, "webhook_delivery")
    with transaction.atomic():
        try:
            delivery = locked(Delivery.objects.visible_to(principal).filter(endpoint=endpoint), pk=key)
        except Delivery.DoesNotExist:
            raise NotFound("webhook_delivery") from None
        if not 1 <= attempt <= delivery.attempts:
            problem = field_problem("attempt", "unknown_value", "Was never given out.")
            raise InvalidRequest(details={"fields": [problem]})
        if not DeliveryAttempt.objects.filter(delivery_id=key, event_at=delivery.event_at, number=attempt).exists():
            answer = None if status is None else Answer(status=status, headers=(), body=body.encode())
            claim = _claim_of(delivery, endpoint, attempt)
            at, seconds = now() - timedelta(milliseconds=latency_ms), latency_ms / 1000
            record([Result(claim=claim, at=at, seconds=seconds, answer=answer, error=error)], is_pulled=True)
    return selectors.deliveries_of(endpoint).get(pk=key)


def _claim_of(delivery: Delivery, endpoint: WebhookEndpoint, attempt: int) -> Claim:
    """The attempt as it was given out, without what was given: that is not needed to record it."""
    receiver = Receiver(
        endpoint_id=endpoint.pk, mode=Mode(endpoint.mode), url="", secrets=(), failing_since=endpoint.failing_since
    )
    return Claim(
        delivery_id=delivery.pk,
        merchant_id=delivery.merchant_id,
        mode=delivery.mode,
        endpoint_id=endpoint.pk,
        receiver=receiver,
        event_id=delivery.event_id,
        event_at=delivery.event_at,
        event_type="",
        body=b"",
        number=attempt,
        number_in_schedule=attempt - delivery.attempts_before,
    )
