"""Sending that an operator pauses: nothing more is posted, nothing is lost, and everything goes once it is resumed."""

import pytest

from core.clock import now
from core.pauses import Paused, pause, resume
from merchants.principal import Principal
from tests.merchants.people import OWNER, sign_in
from tests.payments.world import World
from tests.webhooks.actors import Subscriber, happen
from tests.webhooks.receivers import Receiver
from webhooks import tasks
from webhooks.delivery import claims, drain
from webhooks.models import Delivery, Event
from webhooks.services.upkeep import FAILING_FOR

pytestmark = pytest.mark.slow
EVENTS, A_ROUND = 7, 2


def stop() -> None:
    pause(Paused.SENDING, reason="a receiver is flooded", by="root@service.example")


def posted(receiver: Receiver) -> list[str]:
    return sorted(request.headers["Svc-Event-Id"] for request in receiver.received)


def test_a_pause_in_the_middle_of_a_drain_ends_it_and_the_rest_goes_afterwards(
    principal: Principal, subscriber: Subscriber, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "BATCH", A_ROUND)
    events = sorted(happen(principal).id for _ in range(EVENTS))
    assert drain(each_round=stop) == A_ROUND
    assert len(receiver.received) == A_ROUND
    waiting = Delivery.objects.exclude(outcome="delivered")
    assert list(waiting.values_list("outcome", "attempts", "leased_until")) == [("due", 0, None)] * (EVENTS - A_ROUND)
    assert (drain(), len(receiver.received)) == (0, A_ROUND)
    assert resume(Paused.SENDING, by="root@service.example")
    assert drain() == EVENTS - A_ROUND
    assert posted(receiver) == events
    assert {request.headers["Svc-Attempt"] for request in receiver.received} == {"1"}


def test_what_happens_in_a_pause_is_on_its_way_and_waits(
    principal: Principal, subscriber: Subscriber, receiver: Receiver
) -> None:
    """Why fanned out: what nobody made a delivery of could be purged as if nobody wanted it."""
    stop()
    event = happen(principal)
    assert drain() == 0
    assert Event.objects.get(pk=event.pk).fanned_out_at is not None
    delivery = subscriber.delivery()
    assert (delivery.outcome, delivery.attempts, receiver.received) == ("due", 0, [])
    resume(Paused.SENDING, by="root@service.example")
    assert (drain(), posted(receiver)) == (1, [event.id])


def test_nobody_is_switched_off_for_failing_while_nothing_is_sent(
    world: World, principal: Principal, subscriber: Subscriber
) -> None:
    type(subscriber.endpoint).objects.update(failing_since=now() - FAILING_FOR)
    stop()
    tasks.disable_failing_endpoints()
    assert subscriber.fresh().enabled
    resume(Paused.SENDING, by="root@service.example")
    tasks.disable_failing_endpoints()
    assert not subscriber.fresh().enabled


def test_a_merchant_reads_why_deliveries_wait(principal: Principal, subscriber: Subscriber) -> None:
    event = happen(principal)
    stop()
    drain()
    browser = sign_in(OWNER)
    pages = [
        "/dashboard/test/webhooks/",
        f"/dashboard/test/webhooks/{subscriber.id}/",
        f"/dashboard/test/webhooks/deliveries/{subscriber.delivery().pk}/",
    ]
    words = "The operator of this service has paused webhooks and mail since"
    for page in pages:
        reply = browser.get(page)
        assert (reply.status_code, words in reply.content.decode(), "flooded" in reply.content.decode()) == (
            200,
            True,
            False,
        ), page
    resume(Paused.SENDING, by="root@service.example")
    assert [words in browser.get(page).content.decode() for page in pages] == [False] * 3
    assert event.id
