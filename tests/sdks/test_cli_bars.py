"""What the command promises of real processes, as docs/sdks.md shows it: the bars B10 and B11."""

import pytest

from scripts.bars import b10_listen, b11_trigger

pytestmark = [pytest.mark.exhaustive, pytest.mark.embedded]


def test_a_hundred_kills_sleeps_and_restarts_lose_nothing_and_count_nothing_twice() -> None:
    found = b10_listen.interrupted(b10_listen.ROUNDS)
    print(f"{found.came} deliveries; from an event to the receiver {found.first_seconds:.2f} s, 1 is the goal")
    assert (found.lost, found.double, found.secrets) == (0, 0, 1)


def test_every_event_type_comes_valid_and_is_read_again() -> None:
    [figure] = b11_trigger.measure()
    assert figure.reached, figure
