"""The stage for stories that roll back, and those that commit."""

from collections.abc import Iterator

import pytest
import time_machine

from tests.stories.stage import set_prices, staged


@pytest.fixture
def clock(db: None) -> Iterator[time_machine.Traveller]:
    with staged() as stopped:
        set_prices()
        yield stopped
