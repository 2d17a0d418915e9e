"""Random stories hold: whatever payers, strangers, merchants, workers and chains do, money goes to whom it belongs."""

import os

import pytest
import time_machine

from tests.stories.telling import tell

STORIES, FIRST = int(os.environ.get("STORIES", "100")), int(os.environ.get("STORIES_SEED", "1"))
AT_ONCE = 20


@pytest.mark.parametrize("first", range(FIRST, FIRST + STORIES, AT_ONCE))
def test_stories_hold(first: int, clock: time_machine.Traveller) -> None:
    for seed in range(first, min(first + AT_ONCE, FIRST + STORIES)):
        told = tell(seed, clock)
        assert not told.faults, str(told)
