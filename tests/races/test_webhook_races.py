"""Delivery against everything that changes endpoints: two drains, rotation, deletion, the test clock."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django.db import transaction

from core.locks import Turn
from tests.conftest import Reply
from tests.journeys.recipe import Delivery as Sent
from tests.journeys.recipe import Receiver, receiving
from tests.machine import PATIENCE_SECONDS
from tests.races.lineup import abreast, at_once, holding
from tests.races.shop import Shop
from tests.webhooks.actors import Subscriber, happen, subscribe
from webhooks.delivery.claims import claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import FIRST_WINDOW, Lanes
from webhooks.delivery.rounds import DRAIN_SECONDS, _Drain
from webhooks.delivery.session import kept_session
from webhooks.models import Delivery, Event

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

EVENTS = 40


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running


@pytest.fixture
def subscriber(shop: Shop, receiver: Receiver) -> Subscriber:
    subscribed = subscribe(shop.principal, receiver.url)
    receiver.secrets.append(subscribed.secret)
    return subscribed


def drain() -> int:
    """A drain that did not wait for its turn, as where a connection was lost: two of them at once do no harm."""
    with kept_session() as session:
        return _Drain(DRAIN_SECONDS, Turn("webhooks.drain"), lambda: None, session).run()


class Gate:
    def __init__(self, receiver: Receiver) -> None:
        self._changed = threading.Condition()
        self._waiting, self._is_open = 0, False
        receiver.answer = self._hold

    def _hold(self, delivery: Sent) -> int:
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._is_open, PATIENCE_SECONDS)
        return delivery.answered

    def wait_for(self, requests: int) -> None:
        with self._changed:
            enough = self._changed.wait_for(lambda: self._waiting >= requests, PATIENCE_SECONDS)
        assert enough, f"{self._waiting} of {requests} requests are under way: the race proves nothing"

    def open(self) -> None:
        with self._changed:
            self._is_open = True
            self._changed.notify_all()


def drains_against(receiver: Receiver, act: Callable[[], Reply]) -> Reply:
    """Let something happen while two drains wait for answers, and let them go on at the moment when it is done.

    One drain has at most ``FIRST_WINDOW`` requests under way before it got an answer: one more is another drain's.
    """
    gate = Gate(receiver)

    def second_drain() -> int:
        gate.wait_for(FIRST_WINDOW)
        return drain()

    def act_in_between() -> Reply:
        gate.wait_for(FIRST_WINDOW + 1)
        reply = act()
        gate.open()
        return reply

    reply: Reply = at_once([drain, second_drain, act_in_between])[2].result
    return reply


def happenings(shop: Shop, count: int = EVENTS) -> None:
    with transaction.atomic():
        for _ in range(count):
            happen(shop.principal)


def attempts_sent(receiver: Receiver) -> Counter[tuple[str, str]]:
    return Counter(
        (delivery.headers["svc-delivery-id"], delivery.headers["svc-attempt"]) for delivery in receiver.deliveries
    )


def test_drains_send_each_attempt_once(shop: Shop, subscriber: Subscriber, receiver: Receiver, rounds: range) -> None:
    for _ in rounds:
        happenings(shop)
        drains_against(receiver, lambda: shop.api.get("/webhook-endpoints"))
    drain()
    assert set(attempts_sent(receiver).values()) == {1}
    assert len(receiver.accepted()) == Event.objects.count() == Delivery.objects.filter(outcome="delivered").count()
    assert {delivery.genuine for delivery in receiver.deliveries} == {True}
    shop.check()


def test_no_delivery_is_claimed_twice(shop: Shop, subscriber: Subscriber, rounds: range) -> None:
    happenings(shop)
    fan_out()
    for _ in rounds:
        Delivery.objects.update(attempts=0, leased_until=None)
        endings = abreast(lambda: claim(Lanes()), 4, table="webhooks_delivery", reads=2)
        claimed = [mine.delivery_id for ending in endings for mine in ending.result]
        assert len(claimed) == len(set(claimed)) >= FIRST_WINDOW


def test_no_event_is_fanned_out_twice(shop: Shop, subscriber: Subscriber, rounds: range) -> None:
    for _ in rounds:
        happenings(shop)
        abreast(fan_out, 4, table="webhooks_event", reads=2)
    assert Delivery.objects.count() == Event.objects.count() == EVENTS * len(rounds)
    assert not Event.objects.filter(fanned_out_at=None).exists()
    shop.check()


@pytest.mark.spec("Limits: previous signing secret validity")
def test_rotate_against_deliver(shop: Shop, subscriber: Subscriber, receiver: Receiver, rounds: range) -> None:
    """A receiver that learns the new secret only afterwards can verify whatever is sent around a rotation."""
    rotate = partial(shop.api.post, f"/webhook-endpoints/{subscriber.id}/rotate-secret")
    for _ in rounds:
        happenings(shop)
        rotated = drains_against(receiver, rotate)
        drain()
        receiver.secrets[:] = [rotated.body["secret"]]
    assert {delivery.genuine for delivery in receiver.deliveries} == {True}
    assert len(receiver.accepted()) == Event.objects.count()
    shop.check()


SWITCH_OFF = {"enabled": False}


@pytest.mark.parametrize(("method", "body"), [("DELETE", None), ("PATCH", SWITCH_OFF)], ids=["delete", "switch off"])
def test_unwanted_against_deliver(method: str, body: object, shop: Shop, receiver: Receiver, rounds: range) -> None:
    for _ in rounds:
        subscribed = subscribe(shop.principal, receiver.url)
        receiver.secrets[:] = [subscribed.secret]
        happenings(shop)
        path = f"/webhook-endpoints/{subscribed.id}"
        assert drains_against(receiver, partial(shop.api.send, method, path, body)).status == 200
        before = len(receiver.deliveries)
        drain()
        assert len(receiver.deliveries) == before
        outcomes = Counter(Delivery.objects.filter(endpoint=subscribed.endpoint).values_list("outcome", flat=True))
        assert set(outcomes) == {"delivered", "cancelled"}
        assert outcomes.total() == EVENTS
    assert set(attempts_sent(receiver).values()) == {1}
    shop.check()


def test_deleting_never_waits_for_recording(shop: Shop, subscriber: Subscriber) -> None:
    """Two statements over the same rows in two orders would end one of the two as a deadlock."""
    happenings(shop)
    fan_out()
    recorded = Delivery.objects.filter(endpoint=subscriber.endpoint).order_by("pk")[:5]
    with holding(Delivery.objects.filter(pk__in=[row.pk for row in recorded])) as lineup:
        lineup.enter(partial(shop.api.send, "DELETE", f"/webhook-endpoints/{subscriber.id}"))
        assert lineup.waited == 0
    drain()
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"cancelled"}
    shop.check()


def test_the_clock_moves_beside_drains(shop: Shop, subscriber: Subscriber, receiver: Receiver, rounds: range) -> None:
    for _ in rounds:
        happenings(shop)
        advanced = drains_against(receiver, partial(shop.advance, 60))
        assert advanced.status == 200
        drain()
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"delivered"}
    assert set(attempts_sent(receiver).values()) == {1}
    shop.check()
