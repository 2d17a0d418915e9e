"""The stage, set once for each test."""

import pytest

from core.modes import Mode
from tests.authorization.stage import Stage, set_the_stage

ROWS = [pytest.param(Mode.TEST, id="test rows"), pytest.param(Mode.LIVE, id="live rows", marks=pytest.mark.slow)]


@pytest.fixture(params=ROWS)
def stage(request: pytest.FixtureRequest, db: None) -> Stage:
    """Rows of each mode in turn."""
    return set_the_stage(request.param)
