"""When a failed delivery is tried again, and how many go to one endpoint at once, without a network."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from webhooks.delivery.lanes import CONNECTIONS, FIRST_WINDOW, LARGEST_WINDOW, Lanes
from webhooks.schedule import RETRY_DELAYS, asked_wait, wait_after

AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
WAITS = (30, 120, 480, 1920, 7680, 30720, 43200)
"""Eight attempts have seven waits between them. Written out, not read from the code: a receiver plans with them."""


@pytest.mark.spec("Limits: webhook retries, 8 attempts, 30 s to 12 h backoff; Contract 11.4")
def test_there_are_eight_attempts_from_thirty_seconds_to_twelve_hours_give_or_take_a_tenth() -> None:
    assert (RETRY_DELAYS.attempts, RETRY_DELAYS.delays_seconds, wait_after(8)) == (8, WAITS, None)
    for attempt, seconds in enumerate(WAITS, start=1):
        planned = timedelta(seconds=seconds)
        waits = [wait_after(attempt) for _ in range(300)]
        assert all(wait is not None and abs(wait - planned) <= planned / 10 for wait in waits), attempt
        assert all(wait is not None and timedelta(seconds=30) <= wait <= timedelta(hours=12) for wait in waits), attempt
        assert len(set(waits)) > 50


@pytest.mark.spec("Contract 11.3")
def test_retry_after_is_honoured_within_bounds_and_other_answers_keep_the_schedule() -> None:
    said: dict[tuple[int, str | None], int | None] = {
        (429, "120"): 120,
        (503, " 120 "): 120,
        (429, "1"): 30,
        (503, "0"): 30,
        (429, "9" * 21): 43200,
        (503, "Fri, 20 Nov 2026 12:10:00 GMT"): 600,
        (503, "Fri, 20 Nov 2026 11:00:00 GMT"): 30,
        (503, "Fri, 20 Nov 2099 11:00:00 GMT"): 43200,
    }
    for status, header in ((429, None), (503, ""), (429, "soon"), (503, "-5"), (429, "1.5"), (429, "٣٠")):
        said[status, header] = None
    said |= {(500, "120"): None, (200, "120"): None}
    waits = {(status, header): asked_wait(status, header, AT) for status, header in said}
    assert waits == {told: None if wait is None else timedelta(seconds=wait) for told, wait in said.items()}


QUICK, HANGING = uuid.uuid4(), uuid.uuid4()


@dataclass(frozen=True)
class Parcel:
    endpoint_id: uuid.UUID


def many(endpoint_id: uuid.UUID, count: int) -> list[Parcel]:
    return [Parcel(endpoint_id) for _ in range(count)]


def send(lanes: Lanes[Parcel], endpoint_id: uuid.UUID, seconds: float, times: int = 1) -> None:
    for _ in range(times):
        [parcel] = lanes.admit([Parcel(endpoint_id)])
        lanes.add(parcel)
        assert len(list(lanes.startable(endpoint_id))) == 1
        lanes.ended(endpoint_id, seconds)


def test_a_new_endpoint_begins_with_a_few_and_everything_that_waits_can_be_taken_out() -> None:
    lanes: Lanes[Parcel] = Lanes()
    assert len(lanes.admit(many(QUICK, 50))) == FIRST_WINDOW
    assert len(lanes.admit(many(QUICK, 50) + many(HANGING, 50))) == 2 * FIRST_WINDOW
    for parcel in lanes.admit(many(QUICK, 4)):
        lanes.add(parcel)
    assert len(lanes.all_waiting()) == 4
    assert (lanes.held, list(lanes.startable(QUICK))) == (0, [])


def test_connections_to_one_endpoint_grow_with_its_quickness_up_to_a_limit() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=500)
    assert len(lanes.admit(many(QUICK, 500))) == LARGEST_WINDOW
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
