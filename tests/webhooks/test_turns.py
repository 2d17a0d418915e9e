"""Endpoints are claimed for in turn, each its oldest first; what was learnt of a slow or mute one outlives a drain."""

import uuid
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from core.clock import now
from core.heartbeats import SILENCE, note_alive
from core.models import Heartbeat
from merchants.principal import Principal
from operations.invariants.duties import nothing_is_overdue
from operations.invariants.scope import WHOLE
from tests.payments.world import World
from tests.webhooks.actors import Subscriber, happen, subscribe
from tests.webhooks.receivers import Receiver
from webhooks import due_endpoints
from webhooks.delivery import claims, drain, due, lanes
from webhooks.delivery.claims import Claim, claim
from webhooks.delivery.fan_out import fan_out
from webhooks.delivery.lanes import FIRST_WINDOW, Lanes
from webhooks.due_endpoints import neglected_since
from webhooks.models import Delivery, SigningSecret, WebhookEndpoint
from webhooks.services.again import new_delivery

ENDPOINTS = 13


def crowd(principal: Principal, count: int = ENDPOINTS) -> list[Subscriber]:
    return [subscribe(principal, f"https://{number}.shop.example/") for number in range(count)]


def due_at(principal: Principal, subscriber: Subscriber, *seconds_ago: int) -> list[str]:
    """Deliveries that have been due so long; the events they carry."""
    events = []
    for ago in seconds_ago:
        event = happen(principal)
        type(event).objects.filter(pk=event.pk).update(fanned_out_at=now())
        new_delivery(subscriber.endpoint, event.id, event.occurred_at, now() - timedelta(seconds=ago)).save()
        events.append(event.id)
    return events


def served(claims_made: list[Claim]) -> Counter[uuid.UUID]:
    return Counter(mine.endpoint_id for mine in claims_made)


def hold(holding: Lanes[Claim], claims_made: list[Claim]) -> list[Claim]:
    for mine in claims_made:
        holding.add(mine)
    return claims_made


def test_the_oldest_of_each_endpoint_go_first_and_its_backlog_is_nobody_elses(principal: Principal) -> None:
    full, other = crowd(principal, 2)
    backlog = due_at(principal, full, *range(1000, 1040))
    late = due_at(principal, other, 3, 9, 5)
    made = claim(Lanes())
    sent = {
        subscriber: [mine.event_id for mine in made if mine.endpoint_id == subscriber.endpoint.pk]
        for subscriber in (full, other)
    }
    assert sent == {full: backlog[: -FIRST_WINDOW - 1 : -1], other: [late[1], late[2], late[0]]}


def test_what_is_due_later_or_being_sent_is_left(principal: Principal) -> None:
    [only] = crowd(principal, 1)
    due_at(principal, only, 30, 20, -60)
    Delivery.objects.filter(next_attempt_at__lt=now() - timedelta(seconds=25)).update(leased_until=now() + claims.LEASE)
    assert [mine.number for mine in claim(Lanes())] == [1]
    assert claim(Lanes()) == []


@pytest.mark.parametrize("place", [0, 6, 12, None])
def test_a_round_serves_each_endpoint_wherever_it_begins(
    place: int | None, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a look takes fewer than there are, and a batch fewer than a look finds."""
    monkeypatch.setattr(due, "ENDPOINTS_A_LOOK", 5)
    monkeypatch.setattr(claims, "BATCH", 3)
    everybody = crowd(principal)
    for subscriber in everybody:
        due_at(principal, subscriber, 10)
    keys = sorted(subscriber.endpoint.pk for subscriber in everybody)
    holding: Lanes[Claim] = Lanes(after=lanes.BEGINNING if place is None else keys[place])
    rounds = [hold(holding, claim(holding)) for _ in range(ENDPOINTS)]
    assert sum((served(made) for made in rounds), Counter()) == Counter(keys)
    assert max(map(len, rounds)) == 3
    assert claim(holding) == []


def test_endpoints_whose_attempts_are_all_to_come_stand_in_nobodys_way(
    principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "ENDPOINTS_A_LOOK", 2)
    everybody = sorted(crowd(principal), key=lambda one: one.endpoint.pk)
    for subscriber in everybody:
        due_at(principal, subscriber, -3600)
    due_at(principal, everybody[4], 1)
    for after in (lanes.BEGINNING, everybody[4].endpoint.pk, everybody[-1].endpoint.pk):
        assert served(claim(Lanes(after=after))) == {everybody[4].endpoint.pk: 1}
        Delivery.objects.filter(attempts=1).update(attempts=0, leased_until=None)


def test_what_was_switched_off_under_a_worker_stands_in_nobodys_way(
    principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "ENDPOINTS_A_LOOK", 1)
    gone, other = sorted(crowd(principal, 2), key=lambda one: one.endpoint.pk)
    due_at(principal, gone, 50)
    due_at(principal, other, 1)
    WebhookEndpoint.objects.filter(pk=gone.endpoint.pk).update(enabled=False)
    assert served(claim(Lanes())) == {other.endpoint.pk: 1}
    assert gone.delivery().outcome == "cancelled"


@pytest.mark.slow
def test_a_slow_one_begins_the_next_drain_with_what_it_was_found_good_for(
    principal: Principal, receivers: Callable[[], Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribed, quick = subscribe(principal, receivers().url), subscribe(principal, receivers().url, "payout.paid")
    with monkeypatch.context() as patch:
        patch.setattr(lanes, "QUICK_SECONDS", 0.0)
        patch.setattr(lanes, "SLOW_PLACES", 1)
        happen(principal)
        assert drain() == 1
    assert (subscribed.fresh().places, quick.fresh().places) == (1, None)
    for _ in range(10):
        happen(principal)
    fan_out()
    made = claim(Lanes())
    assert served(made) == {subscribed.endpoint.pk: 1}
    claims.give_back(made)
    assert drain() == 10
    assert subscribed.fresh().places is None


def test_one_that_nothing_signs_for_rests_whole_and_is_nobodys_fault(world: World, principal: Principal) -> None:
    mute, other = crowd(principal, 2)
    SigningSecret.objects.filter(endpoint=mute.endpoint).update(ciphertext=b"lost")
    due_at(principal, mute, *range(200, 220))
    due_at(principal, other, 1)
    assert served(claim(Lanes())) == {other.endpoint.pk: 1}
    assert mute.fresh().rests_until == now() + claims.PUT_OFF
    assert not Delivery.objects.filter(endpoint=mute.endpoint, leased_until__isnull=False).exists()
    assert claim(Lanes()) == []
    Heartbeat.objects.create(name="delivery", at=now())
    assert list(nothing_is_overdue(WHOLE)) == []
    WebhookEndpoint.objects.update(rests_until=None)
    assert len(list(nothing_is_overdue(WHOLE))) == 20
    Delivery.objects.filter(endpoint=mute.endpoint).update(leased_until=now() - timedelta(seconds=121))  # given back
    assert len(list(nothing_is_overdue(WHOLE))) == 20
    WebhookEndpoint.objects.filter(pk=mute.id).update(places=1)
    assert list(nothing_is_overdue(WHOLE)) == []


def test_who_was_away_has_two_minutes_for_what_waited(principal: Principal) -> None:
    """Redis was away for three: what is late then is named by readiness, and no invariant is broken."""
    [only] = crowd(principal, 1)
    due_at(principal, only, 200)
    Heartbeat.objects.create(name="money", at=now(), since=now() - timedelta(hours=1))
    assert len(list(nothing_is_overdue(WHOLE))) == 1
    Heartbeat.objects.update(at=now() - SILENCE - timedelta(seconds=1))
    note_alive("money")
    assert list(nothing_is_overdue(WHOLE)) == []
    Heartbeat.objects.update(since=now() - timedelta(seconds=121))
    note_alive("money")
    assert len(list(nothing_is_overdue(WHOLE))) == 1


def oldest_of(subscriber: Subscriber) -> datetime:
    oldest = Delivery.objects.filter(endpoint=subscriber.endpoint).earliest("next_attempt_at", "pk").next_attempt_at
    assert oldest is not None
    return oldest


def test_the_oldest_that_nobody_takes_is_ours(principal: Principal) -> None:
    first, second = crowd(principal, 2)
    assert neglected_since() is None
    due_at(principal, first, 90, 40, -60)
    due_at(principal, second, 70)
    assert neglected_since() == oldest_of(first)


def test_a_slow_resting_or_busy_receiver_makes_only_its_own_late(principal: Principal) -> None:
    slow, resting, served_now, other = crowd(principal, 4)
    for subscriber in (slow, resting, served_now):
        due_at(principal, subscriber, 900, 800)
    WebhookEndpoint.objects.filter(pk=slow.endpoint.pk).update(places=1)
    WebhookEndpoint.objects.filter(pk=resting.endpoint.pk).update(rests_until=now() + timedelta(hours=1))
    head = Delivery.objects.filter(endpoint=served_now.endpoint, next_attempt_at=oldest_of(served_now))
    assert head.update(leased_until=now() + claims.LEASE) == 1
    assert neglected_since() is None
    due_at(principal, other, 5)
    assert neglected_since() == oldest_of(other)


def test_what_was_given_back_is_ours_once_nobody_took_it_again(
    principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    [only] = crowd(principal, 1)
    due_at(principal, only, 900)
    claims.give_back(claim(Lanes()))
    assert neglected_since() is None
    later = now() + due_endpoints.TAKEN_AGAIN_WITHIN
    monkeypatch.setattr(due_endpoints, "now", lambda: later)
    assert neglected_since() == oldest_of(only)


def test_what_is_neglected_is_found_wherever_the_look_begins(
    principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    [only] = crowd(principal, 1)
    due_at(principal, only, 61)
    for start in (lanes.BEGINNING, uuid.UUID(int=2**128 - 1)):
        monkeypatch.setattr(due_endpoints, "uuid4", lambda start=start: start)
        assert neglected_since() == oldest_of(only)
