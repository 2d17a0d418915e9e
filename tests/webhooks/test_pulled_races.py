"""Deliveries that are fetched, on real row locks: given out once at a time, answered once, and purged beside both."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db.models import F

from merchants.principal import Principal
from tests.races.lineup import at_once, queued
from tests.webhooks.actors import happen
from webhooks import services
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.pulling import LEASE, give_out, take_answer
from webhooks.models import Delivery, DeliveryAttempt, WebhookEndpoint

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

EVENTS = 40


@pytest.fixture
def endpoint(principal: Principal) -> WebhookEndpoint:
    made, _ = services.create_endpoint(principal, services.NewEndpoint(url=None, events=["*"], enabled=True))
    return made


def fetch_all(endpoint: WebhookEndpoint) -> list[tuple[Any, int]]:
    """Fetch until nothing comes."""
    found: list[tuple[Any, int]] = []
    while given := give_out(endpoint, 7):
        found += [(claim.delivery_id, claim.number) for claim, _ in given]
    return found


def test_several_who_fetch_at_once_get_each_delivery_once(endpoint: WebhookEndpoint, principal: Principal) -> None:
    for _ in range(EVENTS):
        happen(principal)
    fan_out()
    given = Counter(one for ending in at_once([partial(fetch_all, endpoint)] * 6) for one in ending.result)
    assert (len(given), set(given.values())) == (EVENTS, {1})
    assert {number for _, number in given} == {1}
    Delivery.objects.update(leased_until=F("leased_until") - LEASE)
    again = Counter(one for ending in at_once([partial(fetch_all, endpoint)] * 6) for one in ending.result)
    assert (len(again), set(again.values()), {number for _, number in again}) == (EVENTS, {1}, {2})


def answer(principal: Principal, endpoint: WebhookEndpoint, delivery_id: str, status: int) -> str:
    given: dict[str, Any] = {"attempt": 1, "status": status, "error": "", "body": "", "latency_ms": 1}
    return take_answer(principal, endpoint, delivery_id=delivery_id, **given).outcome


def test_answers_that_come_at_once_count_once(endpoint: WebhookEndpoint, principal: Principal) -> None:
    happen(principal)
    fan_out()
    [(claim, _)] = give_out(endpoint, 1)
    key = str(claim.delivery_id)
    acts = [partial(answer, principal, endpoint, key, status) for status in (500, 200, 200)]
    endings = queued(Delivery.objects.filter(pk=claim.delivery_id), acts)
    assert [ending.result for ending in endings] == ["due"] * 3
    assert list(DeliveryAttempt.objects.values_list("number", "response_status")) == [(1, 500)]
