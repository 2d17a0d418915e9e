"""The service over two nodes of a chain in memory."""

from collections.abc import Iterator

import pytest
import time_machine

from tests.confluence.stage import set_up


@pytest.fixture
def clock(db: None) -> Iterator[time_machine.Traveller]:
    with set_up() as stopped:
        yield stopped
