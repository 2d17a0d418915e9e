"""The stage, told once and put back as rows for each test."""

import pytest

from core.modes import Mode
from merchants.services import NewMerchant
from tests.authorization.stage import Stage, told_stage
from tests.payments.world import World

ROWS = [pytest.param(Mode.TEST, id="test rows"), pytest.param(Mode.LIVE, id="live rows", marks=pytest.mark.slow)]


@pytest.fixture(params=ROWS)
def stage(request: pytest.FixtureRequest, world: World, account: NewMerchant, other_account: NewMerchant) -> Stage:
    return told_stage(world, request.param, account, other_account)


@pytest.fixture
def in_test_mode(world: World, account: NewMerchant, other_account: NewMerchant) -> Stage:
    return told_stage(world, Mode.TEST, account, other_account)
