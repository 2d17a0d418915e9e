"""When a failed delivery is tried again, and how many go to one endpoint at once, without a network."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from webhooks.delivery.lanes import CONNECTIONS, FIRST_WINDOW, LARGEST_WINDOW, SLOW_TOGETHER, Lanes, Waiting
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
MANY = 1000


@dataclass(frozen=True)
class Parcel:
    endpoint_id: uuid.UUID


def waiting(
    endpoint_id: uuid.UUID, *, merchant: int = 1, places: int | None = None, due: int = FIRST_WINDOW
) -> Waiting:
    return Waiting(endpoint_id, merchant, places, due)


def room(lanes: Lanes[Parcel], endpoint_id: uuid.UUID, most: int = MANY) -> int:
    return lanes.deal([waiting(endpoint_id)], most).get(endpoint_id, 0)


def put(lanes: Lanes[Parcel], endpoint_id: uuid.UUID, count: int) -> None:
    for _ in range(count):
        lanes.add(Parcel(endpoint_id))


def send(lanes: Lanes[Parcel], endpoint_id: uuid.UUID, seconds: float, times: int = 1) -> None:
    for _ in range(times):
        put(lanes, endpoint_id, room(lanes, endpoint_id, most=1))
        assert len(list(lanes.startable(endpoint_id))) == 1
        lanes.ended(endpoint_id, seconds)


def test_a_new_endpoint_begins_with_a_few_and_everything_that_waits_can_be_taken_out() -> None:
    lanes: Lanes[Parcel] = Lanes()
    assert lanes.deal([waiting(QUICK), waiting(HANGING)], MANY) == {QUICK: FIRST_WINDOW, HANGING: FIRST_WINDOW}
    put(lanes, QUICK, 4)
    assert len(lanes.all_waiting()) == 4
    assert (lanes.held, list(lanes.startable(QUICK))) == (0, [])


def test_connections_to_one_endpoint_grow_with_its_quickness_up_to_a_limit() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=500)
    assert room(lanes, QUICK) == LARGEST_WINDOW
    put(lanes, QUICK, 100)
    assert len(list(lanes.startable(QUICK))) == CONNECTIONS
    assert list(lanes.startable(QUICK)) == []
    lanes.ended(QUICK, 0.01)
    assert len(list(lanes.startable(QUICK))) == 1


def test_one_that_hangs_holds_one_place_and_is_not_claimed_for() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, HANGING, 10.0)
    assert room(lanes, HANGING) == 1
    put(lanes, HANGING, 1)
    assert (lanes.has_room(waiting(HANGING)), lanes.has_room(waiting(QUICK))) == (False, True)
    assert lanes.deal([waiting(HANGING), waiting(QUICK)], MANY) == {QUICK: FIRST_WINDOW}


def test_a_slow_one_holds_few_places_and_recovers() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=60)
    send(lanes, QUICK, 2.5)
    assert room(lanes, QUICK) == 2
    send(lanes, QUICK, 0.01, times=20)
    assert room(lanes, QUICK) == 22


def test_what_was_learnt_of_slow_ones_is_told_once_and_believed_by_the_next() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, HANGING, 10.0, times=3)
    send(lanes, QUICK, 0.01, times=3)
    assert (lanes.learnt(), lanes.learnt()) == ({HANGING: 1}, {})
    later: Lanes[Parcel] = Lanes()
    assert later.deal([waiting(HANGING, places=1), waiting(QUICK)], MANY) == {HANGING: 1, QUICK: FIRST_WINDOW}
    send(later, HANGING, 0.01, times=FIRST_WINDOW - 2)
    assert later.learnt() == {}
    send(later, HANGING, 0.01)
    assert (later.learnt(), room(later, HANGING)) == ({HANGING: None}, FIRST_WINDOW)


def test_what_waits_for_an_endpoint_that_turned_slow_is_given_back() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=60)
    put(lanes, QUICK, 50)
    assert len(list(lanes.startable(QUICK))) == CONNECTIONS
    assert lanes.overdue() == []
    lanes.ended(QUICK, 10.0)
    assert len(lanes.overdue()) == 50 - CONNECTIONS
    assert lanes.held == CONNECTIONS - 1


def test_places_are_dealt_to_merchants_in_turn_and_to_the_endpoints_of_each() -> None:
    lanes: Lanes[Parcel] = Lanes()
    greedy, modest = [uuid.uuid4() for _ in range(16)], uuid.uuid4()
    asked = [*(waiting(one) for one in greedy), waiting(modest, merchant=2)]
    assert lanes.deal(asked, 8) == {**dict.fromkeys(greedy[:4], 1), modest: 4}
    assert lanes.deal(asked, 8) == {**dict.fromkeys(greedy[4:8], 1), modest: 4}, "who had a turn stands last"


def test_nobody_is_dealt_more_than_waits() -> None:
    lanes: Lanes[Parcel] = Lanes()
    send(lanes, QUICK, 0.01, times=60)
    assert lanes.deal([waiting(QUICK, due=3), waiting(HANGING, due=1)], MANY) == {QUICK: 3, HANGING: 1}
    assert lanes.deal([waiting(QUICK), waiting(HANGING, due=1)], 50) == {QUICK: 49, HANGING: 1}


def test_all_that_hang_together_leave_places() -> None:
    lanes: Lanes[Parcel] = Lanes()
    hanging = [uuid.uuid4() for _ in range(MANY)]
    asked = [waiting(one, merchant=number, places=1) for number, one in enumerate(hanging)]
    first = lanes.deal([*asked, waiting(QUICK)], 200)
    assert (len(first), sum(first.values()), first[QUICK]) == (SLOW_TOGETHER + 1, SLOW_TOGETHER + 4, 4)
    for one in first.keys() - {QUICK}:
        put(lanes, one, 1)
    assert lanes.deal([*asked, waiting(QUICK)], 200) == {QUICK: 4}
