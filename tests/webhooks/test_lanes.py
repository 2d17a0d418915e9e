"""Fairness between endpoints, without a network."""

import uuid
from dataclasses import dataclass

from webhooks.delivery.lanes import CONNECTIONS, FIRST_WINDOW, LARGEST_WINDOW, Lanes

QUICK, HANGING = uuid.uuid4(), uuid.uuid4()


@dataclass(frozen=True)
class Parcel:
    endpoint_id: uuid.UUID


def many(endpoint_id: uuid.UUID, count: int) -> list[Parcel]:
    return [Parcel(endpoint_id) for _ in range(count)]


def send(lanes: Lanes[Parcel], endpoint_id: uuid.UUID, seconds: float, times: int = 1) -> None:
    """Admit, start and end one after another."""
    for _ in range(times):
        [parcel] = lanes.admit([Parcel(endpoint_id)])
        lanes.add(parcel)
        assert len(list(lanes.startable(endpoint_id))) == 1
        lanes.ended(endpoint_id, seconds)


def test_a_new_endpoint_begins_with_a_few() -> None:
    lanes: Lanes[Parcel] = Lanes()
    assert len(lanes.admit(many(QUICK, 50))) == FIRST_WINDOW
    assert len(lanes.admit(many(QUICK, 50) + many(HANGING, 50))) == 2 * FIRST_WINDOW


def test_a_quick_endpoint_may_hold_more_and_more_up_to_a_limit() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=500)
    assert len(lanes.admit(many(QUICK, 500))) == LARGEST_WINDOW


def test_connections_to_one_endpoint_are_limited() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=500)
    for parcel in lanes.admit(many(QUICK, 100)):
        lanes.add(parcel)
    assert len(list(lanes.startable(QUICK))) == CONNECTIONS
    assert list(lanes.startable(QUICK)) == []
    lanes.ended(QUICK, 0.01)
    assert len(list(lanes.startable(QUICK))) == 1


def test_one_that_hangs_holds_one_place_and_is_not_claimed_for() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, HANGING, 10.0)
    [only] = lanes.admit(many(HANGING, 100))
    lanes.add(only)
    assert lanes.full() == [HANGING]
    assert len(lanes.admit(many(HANGING, 100) + many(QUICK, 4))) == 4


def test_a_slow_one_holds_few_places_and_recovers() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=60)
    send(lanes, QUICK, 2.5)
    assert len(lanes.admit(many(QUICK, 100))) == 2
    send(lanes, QUICK, 0.01, times=20)
    assert len(lanes.admit(many(QUICK, 100))) == 22


def test_what_waits_for_an_endpoint_that_turned_slow_is_given_back() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=60)
    for parcel in lanes.admit(many(QUICK, 50)):
        lanes.add(parcel)
    assert len(list(lanes.startable(QUICK))) == CONNECTIONS
    assert lanes.overdue() == []
    lanes.ended(QUICK, 10.0)
    assert len(lanes.overdue()) == 50 - CONNECTIONS
    assert lanes.held == CONNECTIONS - 1


def test_everything_that_waits_can_be_taken_out() -> None:
    lanes: Lanes[Parcel] = Lanes()
    for parcel in lanes.admit(many(QUICK, 4)):
        lanes.add(parcel)
    assert len(lanes.all_waiting()) == 4
    assert (lanes.held, list(lanes.startable(QUICK))) == (0, [])
